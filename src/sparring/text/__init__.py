"""Plain functions on text: finding JSON in a reply, taking secrets out, normalising, measuring."""
