/** How every tool that changes a repository goes about it: who commits, what is asked first, one change at a time. */

import { type AskingContext, ToolError } from '@portico/sdk/server'
import { requireConfirmation } from '../confirmation.ts'
import { spellHidden, spellLine } from '../text/plain-text.ts'
import type { GitHost } from './host.ts'
import { readStatus, type Status } from './reports.ts'
import type { Repository } from './repository.ts'

export const SAFE = { destructive: false, openWorld: false } as const
export const RISKY = { destructive: true, idempotent: false, openWorld: false } as const

export async function authorEnvironment(host: GitHost, repository: Repository): Promise<{ [name: string]: string }> {
  const own = async (key: string): Promise<string> =>
    (await repository.run(['config', '--get', key], { codes: [0, 1] })).text.trim()
  const author = host.settings.author ?? { name: await own('user.name'), email: await own('user.email') }
  if (author.name === '' || author.email === '') {
    throw new ToolError('Nobody is set to commit as: start the server with the option "author", as "Name <mail>"')
  }
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
  }
}

/** Makes a change in turn, tells subscribers, and answers with how things stand. */
export async function change(host: GitHost, repository: Repository, ctx: AskingContext, work: () => Promise<unknown>) {
  return repository.inTurn(async () => {
    ctx.signal.throwIfAborted()
    try {
      // From here on the change is not cut short: half a checkout is worse than one nobody waited for.
      await work()
    } finally {
      host.changed(repository)
    }
    return { repository: repository.name, ...(await readStatus(repository, host.settings.maxResults)) }
  })
}

/** What was agreed to is what is done: throws where it is not the same any more when its turn has come. */
export function requireSame(what: string, agreed: unknown, now: unknown): void {
  if (JSON.stringify(agreed) === JSON.stringify(now)) return
  throw new ToolError(`${what} has changed meanwhile. Nothing was done: look again, and ask again`)
}

/** Nothing that a checkout could get in the way of; untracked files are never overwritten. */
export function isSettled({ staged, unstaged, conflicted }: Status): boolean {
  return staged.length + unstaged.length + conflicted.length === 0
}

export function ask(host: GitHost, ctx: AskingContext, question: string, shown = ''): Promise<void> {
  return requireConfirmation(ctx, spellLine(question), host.settings.allowUnasked, spellHidden(shown))
}
