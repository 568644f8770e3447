/**
 * What the `check-*.mjs` scripts have in common: each is a function from the repository's root to a list of problems,
 * importable by its test, and a script when Node runs it directly.
 */
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const repositoryRoot = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs the check and reports its problems if `moduleUrl` is the script that Node was started with.
 * @param {string} moduleUrl
 * @param {string} subject what the check looks at, for the one line that it prints when all is well
 * @param {(root: string) => string[]} check
 */
export function reportIfMain(moduleUrl, subject, check) {
  if (!isMain(moduleUrl)) return
  const problems = check(repositoryRoot)
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? `${subject}: in order` : `${subject}: ${problems.length} to fix`)
  if (problems.length > 0) process.exitCode = 1
}

/** Whether `moduleUrl` is the script that Node was started with. */
export function isMain(moduleUrl) {
  const script = process.argv[1]
  return script !== undefined && realpathSync(script) === fileURLToPath(moduleUrl)
}
