/** The names that a file may have in a run, whoever gives it: relative, no way out on any system, nothing hidden in them. */

const MAX_LENGTH = 200
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNFIT = /[\\:\u0000-\u001f]/

export function isFileName(path: string): boolean {
  const parts = path.split('/')
  return path.length <= MAX_LENGTH && !parts.some((part) => ['', '.', '..'].includes(part)) && !UNFIT.test(path)
}
