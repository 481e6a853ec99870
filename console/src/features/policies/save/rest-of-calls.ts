/** What the calls use that are not in the share of the newest version; 0 stands for no version at all. */
export function restOfCalls(stableVersion: number): string {
  return stableVersion === 0 ? 'as if this policy were not there' : `version ${stableVersion}`;
}

/** For how many of the calls a version is. */
export function shareText(percent: number): string {
  return percent === 100 ? 'every call' : `${percent} % of the calls`;
}
