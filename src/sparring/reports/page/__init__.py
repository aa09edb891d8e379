"""Results as pages: one self-contained file each, which makes no requests and can be read without a script."""
