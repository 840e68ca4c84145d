"""Methods, engines, the Solver above them, results and linear programs."""
