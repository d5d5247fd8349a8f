"""Compare the JSON transcoder with google.protobuf.json_format on random messages of every type, valid and not.

Usage: json_differential.py TRANSCODER COUNT SEED
"""

import base64
import collections
import json
import random
import re
import subprocess
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import FieldDescriptor as Field

transcoder, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
process = subprocess.Popen([transcoder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def ask(*words):
    process.stdin.write(" ".join(words).encode() + b"\n")
    process.stdin.flush()
    status, _, rest = process.stdout.readline().decode().rstrip("\n").partition(" ")
    return status == "ok", rest


def convert(direction, name, data):
    is_ok, rest = ask(direction, name, base64.b64encode(data).decode())
    return (base64.b64decode(rest), None) if is_ok else (None, rest)


# The embedded descriptors are those of the test: a client of reflection reads them in this way.
pool = descriptor_pool.DescriptorPool()
types = []
for encoded in ask("descriptors")[1].split(" "):
    file = descriptor_pb2.FileDescriptorProto.FromString(base64.b64decode(encoded))
    pool.Add(file)
    types += [f"{file.package}.{message.name}" for message in file.message_type]
types = [message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in types]

LETTERS = ["a", "Z", "0", " ", "\"", "\\", "/", "\n", "\t", "\r", "\b", "\x00", "\x1f", "\x7f", "é", "\u0301", "\u2028"]
LETTERS += ["\ufffd", "\uffff", "東", "🎭", "\U0010ffff", "<", "&"]


def integer(low, high):
    kind = chance.randrange(4)
    if kind == 0:
        return chance.choice([low, high, 0, 1, high - 1])
    return chance.randint(max(low, -300), 300) if kind == 1 else chance.randint(low, high)


def double():
    kind = chance.randrange(6)
    if kind == 0:
        return chance.choice([0.0, -0.0, 1.0, float("inf"), float("-inf"), float("nan"), 5e-324, 1.7976931348623157e308])
    if kind == 1:
        return float(chance.randint(-10**17, 10**17))
    return chance.uniform(-1, 1) * 10.0 ** chance.randint(-300, 300)


def scalar(field):
    kind = field.type
    if kind == Field.TYPE_BOOL:
        return chance.random() < 0.5
    if kind == Field.TYPE_DOUBLE:
        return double()
    if kind == Field.TYPE_INT32:
        return integer(-(2**31), 2**31 - 1)
    if kind == Field.TYPE_UINT32:
        return integer(0, 2**32 - 1)
    if kind == Field.TYPE_INT64:
        return integer(-(2**63), 2**63 - 1)
    if kind == Field.TYPE_UINT64:
        return integer(0, 2**64 - 1)
    if kind == Field.TYPE_STRING:
        return "".join(chance.choice(LETTERS) for _ in range(chance.randrange(8)))
    if kind == Field.TYPE_BYTES:
        return chance.randbytes(chance.randrange(8))
    assert kind == Field.TYPE_ENUM, field.full_name
    return chance.choice([value.number for value in field.enum_type.values] + [99, -1, 2**31 - 1])


def is_repeated(field):
    return field.is_repeated if hasattr(field, "is_repeated") else field.label == Field.LABEL_REPEATED


def fill(message, share):
    for field in message.DESCRIPTOR.fields:
        if chance.random() > share:
            continue
        repeated = is_repeated(field)
        if field.message_type and field.message_type.GetOptions().map_entry:
            for _ in range(chance.randrange(4)):
                fill(getattr(message, field.name)[scalar(field.message_type.fields_by_name["key"])], share)
        elif field.message_type:
            value = getattr(message, field.name)
            if repeated:
                for _ in range(chance.randrange(3)):
                    fill(value.add(), share * 0.7)
            else:
                value.SetInParent()
                fill(value, share * 0.8)
        elif repeated:
            getattr(message, field.name).extend(scalar(field) for _ in range(chance.randrange(4)))
        else:
            setattr(message, field.name, scalar(field))


def binary(message):
    return message.SerializeToString(deterministic=True)


def same(left, right):
    """Whether two messages are equal; NaN is."""
    return binary(left) == binary(right)


def varied_scalar(value, field):
    """Returns the JSON value of a field in another form with the same meaning."""
    form = chance.randrange(4)
    if field.type in (Field.TYPE_INT64, Field.TYPE_UINT64, Field.TYPE_INT32, Field.TYPE_UINT32):
        number = int(value)
        return [number, str(number), float(number) if abs(number) < 2**53 else number, value][form]
    if field.type == Field.TYPE_BYTES:
        return [value, value.rstrip("="), value.replace("+", "-").replace("/", "_"), value][form]
    if field.type == Field.TYPE_DOUBLE and isinstance(value, float):
        return [value, repr(value), value, value][form]
    return value


def varied(form, descriptor):
    """Returns a JSON object with its fields in another order and form."""
    items = list(form.items())
    chance.shuffle(items)
    result = {}
    for key, value in items:
        field = next(field for field in descriptor.fields if key in (field.name, field.json_name))
        inner = field.message_type
        if inner and inner.GetOptions().map_entry:
            value_field = inner.fields_by_name["value"]
            result[key] = {name: varied(item, value_field.message_type) for name, item in value.items()}
        elif inner:
            result[key] = [varied(item, inner) for item in value] if is_repeated(field) else varied(value, inner)
        else:
            result[key] = (
                [varied_scalar(item, field) for item in value] if is_repeated(field) else varied_scalar(value, field))
    if chance.random() < 0.2:
        result["newer"] = {"a": [1, 2.5e3, None, "x\u00e9", {"b": []}], "c": True}
        result["newerStill"] = chance.choice([None, [], {}, "", -1, 0.5, False])
    for field in descriptor.fields:
        if chance.random() < 0.05 and not {field.name, field.json_name} & result.keys():
            result[field.json_name] = None
    return result


failures = 0


def fail(what, message, *details):
    global failures
    failures += 1
    print(f"{message.DESCRIPTOR.full_name}: {what}", *[str(detail)[:2000] for detail in details], sep="\n  ")
    if failures >= 10:
        sys.exit(1)


def compare_valid(message):
    name, data = message.DESCRIPTOR.full_name, binary(message)
    text, error = convert("json", name, data)
    if text is None:
        return fail("not converted to JSON", message, error, message)
    expected = json_format.MessageToJson(message, indent=None)
    if json.loads(text) != json.loads(expected):
        fail("other JSON", message, text.decode(), expected)
    if not same(json_format.Parse(text, type(message)()), message):
        fail("JSON with another meaning", message, text.decode(), expected)

    form = json_format.MessageToDict(
        message, preserving_proto_field_name=chance.random() < 0.5, use_integers_for_enums=chance.random() < 0.3)
    written = json.dumps(varied(form, message.DESCRIPTOR), ensure_ascii=chance.random() < 0.5, indent=chance.choice([None, 1, "\t"]))
    encoded, error = convert("message", name, written.encode())
    if encoded is None:
        fail("JSON rejected", message, error, written)
    elif not same(type(message).FromString(encoded), message):
        fail("JSON read with another meaning", message, written, type(message).FromString(encoded))
    return text


def compare_merged(left, right):
    """Values that occur twice are merged, the last field of a oneof counts, and unknown fields are skipped."""
    data = binary(left) + b"\xc2\x3e\x03abc" + binary(right) + b"\xc8\x3e\x05"
    merged = type(left).FromString(data)
    text, error = convert("json", left.DESCRIPTOR.full_name, data)
    if text is None:
        return fail("merged message not converted", left, error, merged)
    if json.loads(text) != json.loads(json_format.MessageToJson(merged, indent=None)):
        fail("other JSON of a merged message", left, text.decode(), json_format.MessageToJson(merged, indent=None))


# Accepted by Python only, on purpose: the strict reader rejects them.
STRICTER = [
    "not valid base64", "unknown name of a value", "not a number", "lone surrogate", "expected a name or a number",
    "too many unknown keys", "nested too deeply", "not an integer", "number of", "expected true or false",
    "malformed JSON",
]
# Python reads a number with an exponent or a point as a double, also for an integer, and rounds it. It reads -0 as an
# integer, also for a double, and loses the sign.
HAS_OTHER_NUMBER = re.compile(rb"\d{16,}(\.\d+)?[eE]|\d{15,}\.\d|\d\.\d{15,}[eE]|-0(?![\d.eE])")
stricter = collections.Counter()
outcomes = collections.Counter()


def has_key_with_nul(value):
    """Python cuts keys at NUL, and reads another field."""
    if isinstance(value, list):
        return any(has_key_with_nul(item) for item in value)
    return isinstance(value, dict) and any("\0" in key or has_key_with_nul(item) for key, item in value.items())


def is_read_otherwise_by_python(text):
    """Return whether Python takes one of the text's keys or numbers for another, so that its answer proves nothing."""
    try:
        return has_key_with_nul(json.loads(text)) or HAS_OTHER_NUMBER.search(text) is not None
    except (ValueError, RecursionError):
        return False


def compare_damaged(kind, text):
    damaged = bytearray(text)
    for _ in range(chance.randint(1, 2)):
        position = chance.randrange(len(damaged) + 1)
        action = chance.randrange(4)
        if action == 0 and position < len(damaged):
            damaged[position] = chance.choice(b'"{}[]:,0123456789-.eE\\utfn \xff\x80\x01')
        elif action == 1:
            damaged[position:position] = chance.choice(
                [b"null", b"[", b"{}", b"1e2", b".0", b",", b'"a":1,', b"\\u0000", b"\\ud83c", b"-", b"0", b"\xc3"])
        elif action == 2:
            del damaged[position:position + chance.randint(1, 3)]
        else:
            other = chance.randrange(len(damaged) + 1)
            damaged[position:position] = damaged[min(other, position):max(other, position)][:40]
    damaged = bytes(damaged)
    encoded, error = convert("message", kind.DESCRIPTOR.full_name, damaged)
    try:
        expected = json_format.Parse(damaged.decode(), kind(), ignore_unknown_fields=True)
        binary(expected)
    except (json_format.ParseError, UnicodeError, ValueError, RecursionError) as refusal:
        is_compared = encoded is None or not is_read_otherwise_by_python(damaged)
        outcomes["rejected by both" if is_compared else "not compared"] += 1
        if encoded is not None and is_compared:
            fail("accepted, but rejected by Python", kind(), damaged, refusal)
        return
    if encoded is None:
        outcomes["rejected, but accepted by Python"] += 1
        reason = next((reason for reason in STRICTER if reason in error), None)
        # Python takes every empty value for the empty message.
        if error == "expected an object" and not json.loads(damaged):
            reason = error
        stricter[reason] += 1
        if reason is None:
            fail("rejected, but accepted by Python", kind(), damaged, error)
        return
    if is_read_otherwise_by_python(damaged):
        outcomes["not compared"] += 1
        return
    outcomes["accepted by both"] += 1
    if not same(kind.FromString(encoded), expected):
        fail("read with another meaning", kind(), damaged, kind.FromString(encoded), expected)


for round in range(count):
    kind = types[round % len(types)]
    message, other = kind(), kind()
    fill(message, chance.choice([0.2, 0.6, 1.0]))
    fill(other, 0.4)
    text = compare_valid(message)
    compare_merged(message, other)
    if text and len(text) < 20_000:
        compare_damaged(kind, text)

print(f"{count} messages of {len(types)} types; damaged texts:", dict(outcomes), "stricter:", dict(stricter))
print(f"{count if failures == 0 else count - failures} passed, {failures} failed")
sys.exit(failures != 0)
