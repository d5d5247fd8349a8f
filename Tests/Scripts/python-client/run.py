"""Runs the tests, and prints the number of passed and failed ones. Argument: the article."""
import pathlib
import sys
import unittest

loader = unittest.TestLoader()
suite = loader.discover(str(pathlib.Path(__file__).parent), "test_*.py")
if loader.errors:
    sys.exit("\n".join(map(str, loader.errors)))
result = unittest.TextTestRunner(sys.stdout, verbosity=2).run(suite)
failed = len(result.failures) + len(result.errors)
print(f"{result.testsRun - failed} passed, {failed} failed")
