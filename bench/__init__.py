"""What sparring costs, printed as ratios within one run: `make bench`. Nothing here is asserted in tests."""
