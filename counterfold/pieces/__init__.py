"""Work in many independent pieces: on this machine or a cluster, and kept by what went in."""
