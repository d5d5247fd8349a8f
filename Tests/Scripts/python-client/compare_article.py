"""Checks that the Python programs of an article are the examples, which the tests run, and that these are short.

Arguments: ARTICLE EXAMPLES
"""
import pathlib
import re
import sys

article, directory = (pathlib.Path(argument) for argument in sys.argv[1:])
examples = {path.read_text(): path.name for path in directory.glob("*.py")}
programs = re.findall(r"^```python\n(.*?)^```$", article.read_text(), re.MULTILINE | re.DOTALL)
problems = [f"no example is the program {program!r}" for program in programs if program not in examples]
problems += [f"{name} is not in the article" for text, name in examples.items() if text not in programs]
problems += [f"{name} has more than 60 lines" for text, name in examples.items() if text.count("\n") > 60]
sys.exit("\n".join(problems) or None)
