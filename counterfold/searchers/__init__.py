"""Subgames, gadgets, and searches in them."""
