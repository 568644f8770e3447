/**
 * The git server: history, differences, blame and status as resources and tools; staging, committing, branches, merges
 * and stashes when allowed. All of it goes through `repository.ts`, which keeps a repository from naming programs.
 */

import { createServer } from '@portico/sdk/server'
import { toAnswers } from '../answers.ts'
import type { ReadyServer } from '../entry.ts'
import { onSubscriptions } from '../subscribers.ts'
import { GitHost } from './host.ts'
import { type GitOptions, settleGitOptions } from './options.ts'
import { createGitPrompts } from './prompts.ts'
import { openRepositories } from './repository.ts'
import { createGitResources, repositoryOf } from './resources.ts'
import { createConflictReadTools, createConflictWriteTools } from './tools/tools-conflicts.ts'
import { createExtraReadTools, createExtraWriteTools } from './tools/tools-extra.ts'
import { createMerge, createPreviewConflicts } from './tools/tools-merge.ts'
import { createReadTools } from './tools/tools-read.ts'
import { createRemoteTools } from './tools/tools-remote.ts'
import { createWriteTools } from './tools/tools-write.ts'
import { RepositoryWatches } from './watch.ts'

/**
 * Makes a server that lets a client read the history and state of git repositories, and commit, merge and the like if
 * `write` is set. Hooks and filters are never used, and remotes only where `remotes` names their hosts.
 *
 * @example
 * ```ts
 * import { createGitServer } from '@portico/servers/git'
 * import { connect } from '@portico/sdk/client'
 *
 * const { server, close } = await createGitServer({ repositories: ['.'] })
 * const client = await connect(server)
 * const commits = await client.callTool('log', { count: 3 })
 * await client.close()
 * await close()
 * ```
 */
export async function createGitServer(options: GitOptions): Promise<ReadyServer> {
  const settings = settleGitOptions(options)
  const host = new GitHost(settings, await openRepositories(settings))
  const names = host.repositories.map(({ name }) => name).join(', ')
  const server = createServer({
    name: 'portico-git',
    title: 'Git',
    version: '0.1.0',
    instructions: `Git repositories: ${names}. ${
      settings.write ? 'The user is asked before a merge and before their changes are touched.' : 'It only reads.'
    } Hooks and filters are never used${
      settings.remotes === undefined ? ', and no remotes' : `; remotes only at ${settings.remotes.origins.join(', ')}`
    }.`,
    tools: toAnswers({ ...createLookTools(host), ...(settings.write && createChangeTools(host)) }, options),
    resources: createGitResources(host),
    prompts: createGitPrompts(host),
  })
  const watches = new RepositoryWatches(
    (uri) => repositoryOf(host, uri),
    (uri) => server.changed(uri),
    settings.pollMs,
  )
  host.changed = (repository) => watches.announce(repository)
  onSubscriptions(server, watches)
  const close = async (): Promise<void> => {
    await watches.close()
    await Promise.all(host.repositories.map((repository) => repository.close()))
  }
  return { server, close }
}

function createLookTools(host: GitHost) {
  return {
    ...createReadTools(host),
    ...createExtraReadTools(host),
    ...createConflictReadTools(host),
    preview_conflicts: createPreviewConflicts(host),
  }
}

function createChangeTools(host: GitHost) {
  const { remotes } = host.settings
  return {
    ...createWriteTools(host),
    ...createExtraWriteTools(host),
    merge: createMerge(host),
    ...createConflictWriteTools(host),
    ...(remotes !== undefined && createRemoteTools(host, remotes)),
  }
}
