/** Repositories as resources: `git://<repository>/status` and the like, with templates for commits, branches and blame. */

import { type Completer, type ResourceDefinition, resource, ToolError } from '@portico/sdk/server'
import { commitDifference, type GitHost } from './host.ts'
import { checkBranch, checkRepositoryPath } from './refs.ts'
import { readStatus } from './reports.ts'
import type { Repository } from './repository.ts'
import { blamePage } from './tools/tools-read.ts'

const JSON_TYPE = 'application/json'

export function createGitResources(host: GitHost): { [name: string]: ResourceDefinition } {
  const fixed = host.repositories.flatMap((repository) => createFixed(host, repository))
  return { ...Object.fromEntries(fixed), ...createTemplates(host) }
}

/** The repository that a URI is about. */
export function repositoryOf(host: GitHost, uri: string): Repository | undefined {
  const [, name] = /^git:\/\/([^/]+)\//.exec(uri) ?? []
  return host.repositories.find((one) => one.name === name)
}

function createFixed(host: GitHost, repository: Repository): [string, ResourceDefinition][] {
  const { name } = repository
  const { maxResults } = host.settings
  const about = (kind: string, description: string, mimeType: string) => ({
    uri: `git://${name}/${kind}`,
    title: `${name}: ${kind}`,
    description: `${description} of ${name}`,
    mimeType,
  })
  return [
    [
      `${name}-status`,
      resource(about('status', 'Status', JSON_TYPE), (_, ctx) => readStatus(repository, maxResults, ctx.signal)),
    ],
    [
      `${name}-log`,
      resource(about('log', 'The last 50 commits', JSON_TYPE), async (_, ctx) => ({
        commits: await readLog(host, repository, 'HEAD', ctx.signal),
      })),
    ],
    [
      `${name}-diff`,
      resource(about('diff', 'What is changed and not staged', 'text/x-diff'), async (_, ctx) =>
        textOf(await host.difference(repository, ['diff'], undefined, ctx.signal)),
      ),
    ],
    [
      `${name}-staged`,
      resource(about('staged', 'What would be committed now', 'text/x-diff'), async (_, ctx) =>
        textOf(await host.difference(repository, ['diff', '--cached'], undefined, ctx.signal)),
      ),
    ],
  ]
}

function createTemplates(host: GitHost): { [name: string]: ResourceDefinition } {
  const complete = createCompleters(host)
  return {
    branch: resource(
      {
        uri: 'git://{repository}/branch/{+name}',
        description: 'A branch: its last 50 commits',
        mimeType: JSON_TYPE,
        complete: { repository: complete.repository, name: complete.name },
      },
      ({ repository, name }, ctx) =>
        orNothing(async () => {
          const commits = await readLog(
            host,
            host.repository(repository),
            `refs/heads/${checkBranch(name)}`,
            ctx.signal,
          )
          return { name, commits }
        }),
    ),
    commit: resource(
      {
        uri: 'git://{repository}/commit/{sha}',
        description: 'A commit: its message and what it changed',
        mimeType: JSON_TYPE,
        complete: { repository: complete.repository, sha: complete.sha },
      },
      ({ repository, sha }, ctx) =>
        orNothing(async () => {
          const chosen = host.repository(repository)
          const hash = await chosen.commitOf(sha, ctx.signal)
          const [commit] = await host.commits(chosen, ['--max-count=1', hash, '--'], ctx.signal)
          return { commit, ...(await host.difference(chosen, commitDifference(hash), undefined, ctx.signal)) }
        }),
    ),
    blame: resource(
      {
        uri: 'git://{repository}/blame/{+path}',
        description: 'Where the lines of a file came from: its first page, as of HEAD',
        mimeType: JSON_TYPE,
        complete: { repository: complete.repository, path: complete.path },
      },
      ({ repository, path }, ctx) =>
        orNothing(() => blamePage(host, host.repository(repository), { path, from: 1 }, ctx.signal)),
    ),
  }
}

function createCompleters(host: GitHost): { readonly [name in 'repository' | 'name' | 'sha' | 'path']: Completer } {
  const chosenOf = (chosen: { readonly [name: string]: string }): Repository => host.repository(chosen.repository)
  const safely =
    (find: (repository: Repository, typed: string) => Promise<string[]>): Completer =>
    async (typed, chosen) => {
      try {
        return (await find(chosenOf(chosen), typed)).filter((value) => value.startsWith(typed))
      } catch (error) {
        if (error instanceof ToolError) return []
        throw error
      }
    }
  return {
    repository: (typed) => host.repositories.map(({ name }) => name).filter((name) => name.startsWith(typed)),
    name: safely(async (one) => (await host.branches(one, ['refs/heads'], 1000)).map(({ name }) => name)),
    sha: safely(async (one) => (await readLog(host, one, 'HEAD')).map(({ hash }) => hash)),
    path: safely(async (one, typed) => {
      const folder = typed.slice(0, typed.lastIndexOf('/') + 1)
      const within = folder === '' ? [] : [checkRepositoryPath(folder)]
      const { text } = await one.run(['ls-files', '-z', '--', ...within])
      return text.split('\0').filter(Boolean)
    }),
  }
}

async function readLog(host: GitHost, repository: Repository, revision: string, signal?: AbortSignal) {
  const hash = await repository.commitOf(revision, signal).catch((error: unknown) => {
    // A repository without commits has an empty history.
    if (revision === 'HEAD' && error instanceof ToolError) return undefined
    throw error
  })
  return hash === undefined ? [] : host.commits(repository, ['--max-count=50', hash, '--'], signal)
}

function textOf({ text, truncated }: { text: string; truncated: boolean }): string {
  return truncated ? `${text}\n(cut off: the option "maxBytes" allows no more)\n` : text
}

/** What is not there, or cannot be named so, is no resource. */
async function orNothing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}
