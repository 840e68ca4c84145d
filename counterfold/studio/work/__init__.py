"""What jobs do, in processes of their own: each kind a module that calls the library."""
