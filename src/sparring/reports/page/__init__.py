"""Results as pages: one self-contained file each, which asks nobody for anything and reads whole without a script."""
