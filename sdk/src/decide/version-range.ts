import Range from 'semver/classes/range.js';
import SemVer from 'semver/classes/semver.js';
import parseVersion from 'semver/functions/parse.js';

/** Ranges and versions remembered at most; when full, all are dropped, because parsing them again is cheap. */
const MAX_REMEMBERED = 2_000;

const ranges = new Map<string, VersionRange>();
const versions = new Map<string, SemVer | null>();

/** A semantic version range as npm writes them, parsed once. */
export class VersionRange {
  readonly #range: Range | undefined;
  readonly #verdicts = new Map<string, boolean>();

  constructor(readonly text: string) {
    this.#range = parseRange(text);
  }

  /**
   * Whether a version is in the range. A version that is not semantic satisfies only exactly its own text, and so does
   * every version a "range" that is none.
   */
  admits(version: string): boolean {
    let verdict = this.#verdicts.get(version);
    if (verdict === undefined) {
      if (this.#verdicts.size >= MAX_REMEMBERED) this.#verdicts.clear();
      verdict = this.#judge(version);
      this.#verdicts.set(version, verdict);
    }
    return verdict;
  }

  #judge(version: string): boolean {
    if (version === this.text) return true;
    const parsed = parsedVersion(version);
    return parsed !== null && this.#range?.test(parsed) === true;
  }
}

/** The range of this text; each text is parsed once while it is remembered. */
export function versionRange(text: string): VersionRange {
  let range = ranges.get(text);
  if (range === undefined) {
    if (ranges.size >= MAX_REMEMBERED) ranges.clear();
    range = new VersionRange(text);
    ranges.set(text, range);
  }
  return range;
}

function parseRange(text: string): Range | undefined {
  try {
    return new Range(text);
  } catch {
    return undefined;
  }
}

function parsedVersion(text: string): SemVer | null {
  let version = versions.get(text);
  if (version === undefined) {
    if (versions.size >= MAX_REMEMBERED) versions.clear();
    version = parseVersion(text);
    versions.set(text, version);
  }
  return version;
}
