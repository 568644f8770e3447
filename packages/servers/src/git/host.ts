/** What the tools, resources and prompts of the git server share. */

import { ToolError } from '@portico/sdk/server'
import type { GitSettings } from './options.ts'
import { redact } from './redact.ts'
import { checkRepositoryPath } from './refs.ts'
import {
  BRANCH_FORMAT,
  type Branch,
  COMMIT_FORMAT,
  type Commit,
  type FileChange,
  parseBranches,
  parseCommits,
  parseNumstat,
} from './reports.ts'
import type { Repository } from './repository.ts'

export interface Difference {
  text: string
  files: FileChange[]
  truncated: boolean
}

export class GitHost {
  readonly settings: GitSettings
  readonly repositories: readonly Repository[]
  /** Told of each repository that a tool changed. */
  changed: (repository: Repository) => void = () => {}

  constructor(settings: GitSettings, repositories: readonly Repository[]) {
    this.settings = settings
    this.repositories = repositories
  }

  /** The repository of that name, or the only one. */
  repository(name: string | undefined): Repository {
    const [only, ...others] = this.repositories
    if (name === undefined && only !== undefined && others.length === 0) return only
    const found = this.repositories.find((one) => one.name === name)
    if (found !== undefined) return found
    const names = this.repositories.map((one) => one.name).join(', ')
    throw new ToolError(
      name === undefined ? `Say which repository: ${names}` : `There is no such repository. There are: ${names}`,
    )
  }

  async commits(repository: Repository, args: readonly string[], signal?: AbortSignal): Promise<Commit[]> {
    const fixed = ['log', '-z', COMMIT_FORMAT, '--no-show-signature', '--no-color', '--no-ext-diff', '--no-textconv']
    return parseCommits(await repository.run([...fixed, ...args], { ...(signal && { signal }) }))
  }

  async branches(repository: Repository, patterns: readonly string[], count: number): Promise<Branch[]> {
    const args = ['for-each-ref', BRANCH_FORMAT, `--count=${count}`, '--sort=refname', ...patterns]
    return parseBranches(await repository.run(args))
  }

  /** A difference as text and in numbers. `which` are hashes and flags of our own. */
  async difference(
    repository: Repository,
    which: readonly string[],
    path: string | undefined,
    signal?: AbortSignal,
  ): Promise<Difference> {
    const safe = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=all', '--find-renames']
    const limit = path === undefined ? ['--'] : ['--', checkRepositoryPath(path)]
    const options = { ...(signal && { signal }) }
    const [patch, numbers] = await Promise.all([
      repository.look([...which, '--patch', ...safe, ...limit], options),
      repository.look([...which, '--numstat', '-z', ...safe, ...limit], options),
    ])
    const truncated = patch.truncated || numbers.truncated
    return { text: redact(patch.text), files: parseNumstat(numbers).slice(0, 1000), truncated }
  }
}

/** The arguments of `difference` for what one commit changed; a merge is shown against its first parent. */
export function commitDifference(hash: string): string[] {
  return ['show', '--format=', '--first-parent', '--diff-merges=first-parent', hash]
}
