/** The lines in which a suite says what it did not try, each once. */
export function skippedIn(output) {
  const lines = output.split('\n').flatMap((line) => /^skipped:? +(.+)$/.exec(line)?.[1] ?? [])
  return [...new Set(lines)]
}
