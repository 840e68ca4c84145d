"""Games made smaller; with their forms come the engines that run on them."""

from counterfold.abstraction import bucket_engine as bucket_engine
from counterfold.abstraction import deal_engine as deal_engine
from counterfold.abstraction import drawn_engine as drawn_engine
from counterfold.abstraction import horizon_engine as horizon_engine
