/** The tools that look: status, history, commits, differences, blame, branches. */

import { ToolError, tool } from '@portico/sdk/server'
import { badCursor, CURSOR_INPUT, countFrom, fromCursor, toCursor } from '../../cursor.ts'
import { commitDifference, type GitHost } from '../host.ts'
import { redact } from '../redact.ts'
import { checkRepositoryPath } from '../refs.ts'
import { parseBlame, readStatus } from '../reports.ts'
import { ANY_PATH, COMMIT, FILES, NEXT_CURSOR, REPOSITORY, REVISION, STATUS, TRUNCATED } from '../shapes.ts'

const READS = { readOnly: true, idempotent: true, openWorld: false } as const

export function createReadTools(host: GitHost) {
  return {
    status: createStatus(host),
    log: createLog(host),
    show: createShow(host),
    diff: createDiff(host),
    blame: createBlame(host),
    branches: createBranches(host),
  }
}

function createStatus(host: GitHost) {
  return tool(
    {
      title: 'Status of a repository',
      description: 'Says which branch is checked out and what is staged, changed, untracked or in conflict.',
      input: { type: 'object', properties: { repository: REPOSITORY }, additionalProperties: false },
      output: STATUS,
      ...READS,
    },
    async ({ repository }, ctx) => {
      const chosen = host.repository(repository)
      return { repository: chosen.name, ...(await readStatus(chosen, host.settings.maxResults, ctx.signal)) }
    },
  )
}

function createLog(host: GitHost) {
  return tool(
    {
      title: 'History',
      description: 'Lists commits, newest first, in pages; of one path, one author, or with some text in the message.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          revision: { ...REVISION, description: 'Where to begin: a branch, tag, HEAD or hash; HEAD unless given' },
          without: { ...REVISION, description: 'Leave out what this one has, too: main for what a branch adds to it' },
          path: { ...ANY_PATH, description: 'Only commits that changed this path' },
          author: { type: 'string', maxLength: 200, description: 'Only commits whose author contains this text' },
          text: { type: 'string', maxLength: 200, description: 'Only commits whose message contains this text' },
          count: { type: 'integer', minimum: 1, description: 'How many on a page; 20 unless given' },
          cursor: CURSOR_INPUT,
        },
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          commits: { type: 'array', items: COMMIT, description: 'Newest first' },
          nextCursor: NEXT_CURSOR,
        },
        required: ['commits'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ repository, revision, without, path, author, text, count, cursor }, ctx) => {
      const chosen = host.repository(repository)
      const limit = Math.min(count ?? 20, host.settings.maxResults)
      const question = [chosen.name, revision, without, path, author, text]
      const place = cursor === undefined ? undefined : readPlace(fromCursor(cursor, question))
      // The cursor holds the commit that the first page began with: later commits do not shift the pages.
      const from = place?.hash ?? (await chosen.commitOf(revision ?? 'HEAD', ctx.signal))
      const skip = place?.skip ?? 0
      const less = place === undefined ? without && (await chosen.commitOf(without, ctx.signal)) : place.less
      const commits = await host.commits(
        chosen,
        [
          `--max-count=${limit + 1}`,
          `--skip=${skip}`,
          '--fixed-strings',
          '--regexp-ignore-case',
          ...(author === undefined ? [] : [`--author=${plain(author)}`]),
          ...(text === undefined ? [] : [`--grep=${plain(text)}`]),
          from,
          ...(less === undefined ? [] : [`^${less}`]),
          '--',
          ...(path === undefined ? [] : [checkRepositoryPath(path)]),
        ],
        ctx.signal,
      )
      const more = commits.length > limit && { nextCursor: toCursor(toPlace(from, skip + limit, less), question) }
      return { commits: commits.slice(0, limit), ...more }
    },
  )
}

function toPlace(hash: string, skip: number, less: string | undefined): string {
  return less === undefined ? `${hash} ${skip}` : `${hash} ${skip} ${less}`
}

function readPlace(position: string): { hash: string; skip: number; less: string | undefined } {
  const [, hash, skip, less] = /^([0-9a-f]{40,64}) (\d{1,9})(?: ([0-9a-f]{40,64}))?$/.exec(position) ?? []
  if (hash === undefined) throw badCursor()
  return { hash, skip: Number(skip), less }
}

function plain(text: string): string {
  if (/[\0\n]/.test(text)) throw new ToolError('Give the text to look for on one line')
  return text
}

function createShow(host: GitHost) {
  return tool(
    {
      title: 'Show a commit',
      description: 'Shows a commit with what it changed, or, given a path, the file as it was in that commit.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          revision: { ...REVISION, description: 'A branch, tag, HEAD or hash' },
          path: { ...ANY_PATH, description: 'Show this file as it was, instead of the change' },
        },
        required: ['revision'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          commit: COMMIT,
          text: { type: 'string', description: 'The difference, or the file' },
          files: FILES,
          truncated: TRUNCATED,
        },
        required: ['commit', 'text', 'truncated'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ repository, revision, path }, ctx) => {
      const chosen = host.repository(repository)
      const hash = await chosen.commitOf(revision, ctx.signal)
      const [commit] = await host.commits(chosen, ['--max-count=1', hash, '--'], ctx.signal)
      if (commit === undefined) throw new ToolError(`${hash} cannot be shown`)
      if (path === undefined)
        return { commit, ...(await host.difference(chosen, commitDifference(hash), undefined, ctx.signal)) }
      // As the repository keeps it: no filter or converter takes part.
      const file = await chosen.run(['cat-file', 'blob', `${hash}:${checkRepositoryPath(path)}`], {
        signal: ctx.signal,
      })
      if (file.text.includes('\0')) throw new ToolError(`${path} is binary in ${hash.slice(0, 12)}`)
      return { commit, text: redact(file.text), truncated: file.truncated }
    },
  )
}

function createDiff(host: GitHost) {
  return tool(
    {
      title: 'Show a difference',
      description:
        'Shows a unified diff: of what is not staged, of what is (staged), between a commit and the working tree (from), or between two commits (from, to).',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          staged: { type: 'boolean', description: 'What would be committed now; false unless given' },
          from: { ...REVISION, description: 'The older side' },
          to: { ...REVISION, description: 'The newer side; the working tree unless given' },
          sinceFork: { type: 'boolean', description: 'From where the two parted' },
          path: { ...ANY_PATH, description: 'Only this path' },
        },
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: { text: { type: 'string', description: 'The diff' }, files: FILES, truncated: TRUNCATED },
        required: ['text', 'files', 'truncated'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ repository, staged, from, to, sinceFork, path }, ctx) => {
      const chosen = host.repository(repository)
      if (to !== undefined && from === undefined) throw new ToolError('Give "from" together with "to"')
      if (to !== undefined && staged === true)
        throw new ToolError('"staged" is compared with one commit: leave "to" out')
      const sides = [from, to].filter((side) => side !== undefined)
      const hashes = await Promise.all(sides.map((side) => chosen.commitOf(side, ctx.signal)))
      if (sinceFork === true && hashes.length > 0) {
        const [older = '', newer = await chosen.commitOf('HEAD', ctx.signal)] = hashes
        const { text, code } = await chosen.run(['merge-base', older, newer], { codes: [0, 1], signal: ctx.signal })
        if (code !== 0) throw new ToolError('The two have no commit in common')
        hashes[0] = text.trim()
      }
      return host.difference(chosen, ['diff', ...(staged === true ? ['--cached'] : []), ...hashes], path, ctx.signal)
    },
  )
}

function createBlame(host: GitHost) {
  return tool(
    {
      title: 'Blame',
      description: 'Says for each line of a file which commit and author it came from, in pages of lines.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          path: ANY_PATH,
          revision: { ...REVISION, description: 'The file as of this commit; HEAD unless given' },
          firstLine: { type: 'integer', minimum: 1, description: 'Where to begin; 1 unless given' },
          lastLine: { type: 'integer', minimum: 1, description: 'Where to end; a page later unless given' },
        },
        required: ['path'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          hash: { type: 'string', description: 'The commit that the file was looked at in' },
          lines: {
            type: 'array',
            description: 'In order',
            items: {
              type: 'object',
              properties: {
                line: { type: 'integer', description: 'Counted from 1' },
                hash: { type: 'string', description: 'The commit that wrote it' },
                author: { type: 'string', description: 'Who' },
                date: { type: 'string', description: 'When' },
                text: { type: 'string', description: 'The line' },
              },
              required: ['line', 'hash', 'author', 'date', 'text'],
              additionalProperties: false,
            },
          },
          nextLine: { type: 'integer', description: 'There may be more: go on with firstLine set to this' },
        },
        required: ['hash', 'lines'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ repository, path, revision, firstLine, lastLine }, ctx) => {
      const part = { path, ...(revision !== undefined && { revision }), from: firstLine ?? 1, to: lastLine }
      return blamePage(host, host.repository(repository), part, ctx.signal)
    },
  )
}

export async function blamePage(
  host: GitHost,
  repository: ReturnType<GitHost['repository']>,
  { path, revision, from, to }: { path: string; revision?: string; from: number; to?: number | undefined },
  signal?: AbortSignal,
) {
  const hash = await repository.commitOf(revision ?? 'HEAD', signal)
  const last = Math.min(to ?? Number.MAX_SAFE_INTEGER, from + host.settings.maxResults - 1)
  if (last < from) throw new ToolError('lastLine is before firstLine')
  const args = ['blame', '--porcelain', '--no-textconv', '-L', `${from},${last}`, hash, '--', checkRepositoryPath(path)]
  const output = await repository.run(args, { ...(signal && { signal }) })
  const lines = parseBlame(output)
  const isFull = lines.length === last - from + 1 && last !== to
  return { hash, lines, ...(isFull && { nextLine: last + 1 }) }
}

function createBranches(host: GitHost) {
  return tool(
    {
      title: 'List branches',
      description: 'Lists branches, and remote branches and tags on demand, by name.',
      input: {
        type: 'object',
        properties: {
          repository: REPOSITORY,
          remotes: { type: 'boolean', description: 'Remote branches, too; false unless given' },
          tags: { type: 'boolean', description: 'Tags, too; false unless given' },
          cursor: CURSOR_INPUT,
        },
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          branches: {
            type: 'array',
            description: 'By name',
            items: {
              type: 'object',
              properties: {
                name: { type: 'string', description: 'Its name' },
                kind: { enum: ['branch', 'remote', 'tag'], description: 'What it is' },
                hash: { type: 'string', description: 'The commit it points to' },
                date: { type: 'string', description: 'When that was made' },
                subject: { type: 'string', description: 'The first line of its message' },
                current: { type: 'boolean', description: 'Whether it is checked out' },
              },
              required: ['name', 'kind', 'hash', 'date', 'subject', 'current'],
              additionalProperties: false,
            },
          },
          nextCursor: NEXT_CURSOR,
        },
        required: ['branches'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ repository, remotes, tags, cursor }) => {
      const { maxResults } = host.settings
      const question = [repository, remotes, tags]
      const skip = countFrom(cursor, question)
      const patterns = [
        'refs/heads',
        ...(remotes === true ? ['refs/remotes'] : []),
        ...(tags === true ? ['refs/tags'] : []),
      ]
      const all = await host.branches(host.repository(repository), patterns, skip + maxResults + 1)
      const page = all.slice(skip, skip + maxResults)
      const more = all.length > skip + maxResults ? { nextCursor: toCursor(String(skip + maxResults), question) } : {}
      return { branches: page, ...more }
    },
  )
}
