/** Which word of a command is the server: what is started by `node`, `npx`, `docker run` and the like, not they themselves. */

const RUNNERS =
  /^(?:npx|bunx|pnpx|npm|pnpm|yarn|uvx|uv|pipx|node|bun|deno|tsx|ts-node|python3?|docker|podman|cmd|sh|bash|env)(?:\.exe|\.cmd)?$/i
const RUNNER_WORDS = new Set(['run', 'exec', 'dlx', 'x', 'tool', 'c', 'container'])

/** Options of runners that are followed by a value: `node --import portico/typescript hello.ts` runs `hello.ts`. */
const WITH_VALUE =
  /^(?:--import|--require|--loader|--experimental-loader|--conditions|--env-file|--tsconfig|--from|--with|--python|--registry|--prefix|--directory|--config|--name|--network|--volume|--env|--user|--workdir|--mount|--entrypoint|-[rCevw])$/

/**
 * Finds the word of a command that says which server it is; the command itself where it only starts others.
 *
 * @example
 * ```ts
 * import { startedWord } from '@portico/host/text'
 *
 * startedWord('node', ['--import', 'portico/typescript', 'hello.ts']) // 'hello.ts'
 * ```
 */
export function startedWord(command: string, args: readonly string[]): string {
  const words = [command, ...args]
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (WITH_VALUE.test(word) || isPorticoRun(word, words[at + 1])) at++
    else if (!isPassedOver(word, at)) return word
  }
  return command
}

/** Our own command runs a server that is named after it, as runners do. */
function isPorticoRun(word: string, next: string | undefined): boolean {
  return next === 'run' && /(?:^|[\\/])portico(?:@[\w.-]+)?(?:\.cmd)?$/.test(word)
}

function isPassedOver(word: string, at: number): boolean {
  const plain = word.split(/[\\/]/).at(-1) ?? word
  if (RUNNERS.test(plain)) return true
  // What stands before it may be variables (`env A=1`), options, and words of the runner itself.
  return /^-|^\/\w?$|^[A-Za-z_]\w*=/.test(word) || (at > 0 && RUNNER_WORDS.has(word))
}
