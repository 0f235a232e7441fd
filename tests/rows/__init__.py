"""The rows of the registry, a module for each chapter of the library."""
