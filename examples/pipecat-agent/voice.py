"""A voice without a model: it hums one syllable for each group of vowels, so that a call has sound of the right length."""

import math
import re
import struct

SYLLABLE_SECONDS = 0.16
PAUSE_SECONDS = 0.25
PITCH_HZ = 120
PEAK = 9_000


def hum(text: str, rate: int) -> bytes:
    """Returns 16-bit mono samples for the text."""
    return b"".join(
        silence(PAUSE_SECONDS, rate) if word in ",." else syllable(rate, len(vowels))
        for word in re.findall(r"\w+|[,.]", text.replace("?", ".").replace("!", "."))
        for vowels in ([word] if word in ",." else re.findall(r"[aeiouy0-9]+", word.lower()) or ["e"])
    )


def syllable(rate: int, length: int) -> bytes:
    count = int(rate * SYLLABLE_SECONDS * (1 + 0.3 * (length - 1)))
    samples = []
    for at in range(count):
        envelope = math.sin(math.pi * at / count)
        wave = sum(math.sin(2 * math.pi * PITCH_HZ * harmonic * at / rate) / harmonic for harmonic in range(1, 8))
        samples.append(int(PEAK * envelope * wave / 2))
    return struct.pack(f"<{count}h", *samples)


def silence(seconds: float, rate: int) -> bytes:
    return bytes(2 * int(rate * seconds))
