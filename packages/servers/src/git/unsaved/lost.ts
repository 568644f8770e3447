/** What putting files back would throw away: what is on disk now, and neither staged nor in the commits that are asked about. */

import { ToolError } from '@portico/sdk/server'
import { redact } from '../redact.ts'
import type { Repository } from '../repository.ts'
import { presentOf } from './in-the-way.ts'

const MAX_LIST_BYTES = 64 * 1024 * 1024
const MAX_LOST = 1_000
const SAFE = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=all', '--no-renames']

interface Wish {
  /** The commit that the files are put back from. */
  readonly hash: string
  /** As they were asked for. */
  readonly paths: readonly string[]
  readonly files: readonly string[]
}

/** A difference from what git keeps to what is on disk; empty where nothing is lost. */
export function lostText(repository: Repository, { hash, paths, files }: Wish): Promise<string> {
  const present = new Set(presentOf(repository, files))
  return repository.overIndex(async (env) => {
    await lookAtAll(repository, env, present)
    const differing = async (...from: string[]): Promise<ReadonlySet<string>> => {
      const args = ['diff', ...SAFE, '--name-only', '-z', ...from, '--', ...paths]
      const { text, truncated } = await repository.run(args, { env, maxBytes: MAX_LIST_BYTES })
      if (truncated) throw tooLong()
      return new Set(text.split('\0'))
    }
    const kept = await Promise.all([differing(), differing('HEAD'), differing(hash)])
    const lost = [...present].filter((path) => kept.every((changed) => changed.has(path)))
    if (lost.length === 0) return ''
    if (lost.length > MAX_LOST) throw tooLong()
    const { text, truncated } = await repository.run(['diff', ...SAFE, '--patch', '--', ...lost], { env })
    if (truncated) throw tooLong()
    return redact(text)
  })
}

/** Files can be marked as not worth a look; what they hold is lost like anything else. */
async function lookAtAll(
  repository: Repository,
  env: { readonly [name: string]: string },
  present: ReadonlySet<string>,
): Promise<void> {
  const { text } = await repository.run(['ls-files', '-v', '-z'], { env, maxBytes: MAX_LIST_BYTES })
  const marked = text.split('\0').flatMap((entry) => {
    const path = entry.slice(2)
    return /^[a-zS] /.test(entry) && present.has(path) ? [path] : []
  })
  if (marked.length === 0) return
  const input = `${marked.join('\0')}\0`
  for (const mark of ['--no-assume-unchanged', '--no-skip-worktree']) {
    await repository.run(['update-index', mark, '-z', '--stdin'], { env, input })
  }
}

function tooLong(): ToolError {
  return new ToolError('What would be thrown away is too long to be shown: name fewer paths')
}
