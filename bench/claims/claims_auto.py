"""Claims about what `auto` chooses and what choosing costs, from the records of `spress bench --formats all,auto`."""
from judge import Claim
from records import on_gpu

GROUP = "The choice of auto, on a GPU"
LARGE = 1_000_000  # entries


def chosen(record):
    """Records that timed every format beside the choice."""
    choice = record.get("choice")
    return on_gpu(record) and bool(choice) and choice["behind_best"] is not None


def large(record):
    return chosen(record) and record["matrix"]["nnz"] >= LARGE


def small(record):
    return chosen(record) and record["matrix"]["nnz"] < LARGE


def behind_best(record):
    choice = record["choice"]
    return 100 * choice["behind_best"], choice["candidates"][0]["format"] if choice["candidates"] else ""


def products(record):
    value = record["choice"]["csr_products"]
    return None if value is None else (value, f"{record['machine']['threads']} threads")


def milliseconds(record):
    value = record["choice"]["seconds"]
    return None if value is None else (1000 * value, f"{record['machine']['threads']} threads")


def claims():
    return [
        Claim(GROUP, "the choice is within 5% of the fastest of all formats", "all matrices", "aim", "share up to", 90,
              behind_best, applies=chosen, unit="%", limit=5),
        Claim(GROUP, "choosing, in products of CSR on the CPU", "a million entries or more", "aim", "most", 20,
              products, applies=large, unit="", at_least=False),
        Claim(GROUP, "choosing, in milliseconds", "below a million entries", "aim", "most", 15, milliseconds,
              applies=small, unit="ms", at_least=False),
    ]
