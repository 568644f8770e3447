/** What git says, read into plain records: status, commits, branches, blame, the size of a difference. */

import { spellHidden, spellLine } from '../text/plain-text.ts'
import { redact } from './redact.ts'
import type { GitOutput, Repository } from './repository.ts'

export interface ChangedPath {
  path: string
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'retyped'
}

export interface Status {
  branch?: string
  head?: string
  upstream?: string
  ahead?: number
  behind?: number
  clean: boolean
  staged: ChangedPath[]
  unstaged: ChangedPath[]
  untracked: string[]
  conflicted: string[]
  /** Not everything fitted. */
  truncated: boolean
}

const STATUS = ['status', '--porcelain=v2', '-z', '--branch', '--untracked-files=normal', '--ignore-submodules=all']

/** For answers: what cannot be seen in names is spelled out. */
export async function readStatus(repository: Repository, maxResults: number, signal?: AbortSignal): Promise<Status> {
  const output = await repository.run(STATUS, { ...(signal && { signal }) })
  const status = parseStatus(output, maxResults)
  const named = (changes: readonly ChangedPath[]): ChangedPath[] =>
    changes.map((one) => ({ ...one, path: spellLine(one.path) }))
  return {
    ...status,
    staged: named(status.staged),
    unstaged: named(status.unstaged),
    untracked: status.untracked.map(spellLine),
    conflicted: status.conflicted.map(spellLine),
  }
}

/** The output as it is: differs when the status does. */
export async function statusText(repository: Repository): Promise<string> {
  return (await repository.run(STATUS)).text
}

const CHANGES: { readonly [letter: string]: ChangedPath['change'] } = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'retyped',
}

export function parseStatus({ text, truncated }: GitOutput, maxResults: number): Status {
  const status: Status = { clean: true, staged: [], unstaged: [], untracked: [], conflicted: [], truncated }
  const records = text.split('\0')
  // A cut-off output ends within a record.
  records.pop()
  for (let at = 0; at < records.length; at++) {
    const record = records[at]!
    if (record.startsWith('# ')) readHeader(record, status)
    else {
      status.clean = false
      readChange(record, status)
      // A rename is followed by the old name.
      if (record.startsWith('2 ')) at++
    }
  }
  for (const list of [status.staged, status.unstaged, status.untracked, status.conflicted]) {
    if (list.length <= maxResults) continue
    list.length = maxResults
    status.truncated = true
  }
  return status
}

function readHeader(record: string, status: Status): void {
  const [, key, value = ''] = /^# branch\.(\w+) (.*)$/s.exec(record) ?? []
  if (key === 'oid' && value !== '(initial)') status.head = value
  if (key === 'head' && value !== '(detached)') status.branch = value
  if (key === 'upstream') status.upstream = value
  if (key === 'ab') {
    const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(value) ?? []
    status.ahead = Number(ahead)
    status.behind = Number(behind)
  }
}

function readChange(record: string, status: Status): void {
  if (record.startsWith('? ')) {
    status.untracked.push(record.slice(2))
    return
  }
  const kind = record[0]
  const fields = kind === '1' ? 8 : kind === '2' ? 9 : kind === 'u' ? 10 : 0
  if (fields === 0) return
  const path = record.split(' ').slice(fields).join(' ')
  if (kind === 'u') {
    status.conflicted.push(path)
    return
  }
  const staged = CHANGES[record[2] ?? '']
  const unstaged = CHANGES[record[3] ?? '']
  if (staged !== undefined) status.staged.push({ path, change: staged })
  if (unstaged !== undefined) status.unstaged.push({ path, change: unstaged })
}

export interface Commit {
  hash: string
  parents: string[]
  author: string
  email: string
  date: string
  subject: string
  body: string
}

/** Names and addresses cannot contain line breaks; whatever is left is the message. */
export const COMMIT_FORMAT = '--format=%H%n%P%n%an%n%ae%n%aI%n%B'

export function parseCommits({ text }: GitOutput): Commit[] {
  return text
    .split('\0')
    .filter((record) => record.trim() !== '')
    .flatMap((record) => {
      const [hash = '', parents = '', author = '', email = '', date = '', ...message] = record
        .replace(/^\n/, '')
        .split('\n')
      if (!/^[0-9a-f]{40,64}$/.test(hash)) return []
      const [subject = '', ...body] = message
      const words = { subject: shown(subject), body: shown(body.join('\n').trim()) }
      const who = { author: spellLine(author), email: spellLine(email) }
      return [{ hash, parents: parents.split(' ').filter(Boolean), ...who, date, ...words }]
    })
}

/** Names and messages are other people's: what cannot be seen in them is spelled out. */
function shown(text: string): string {
  return spellHidden(redact(text))
}

export interface FileChange {
  path: string
  /** Absent for binary files. */
  added?: number
  removed?: number
}

/** Reads `--numstat -z`. */
export function parseNumstat({ text }: GitOutput): FileChange[] {
  const records = text.split('\0')
  const files: FileChange[] = []
  for (let at = 0; at < records.length; at++) {
    const [, added, removed, path] = /^\n*(\d+|-)\t(\d+|-)\t(.*)$/s.exec(records[at]!) ?? []
    if (path === undefined) continue
    // A rename has an empty path here, then the old name, then the new one.
    const name = spellLine(path === '' ? (records[at + 2] ?? '') : path)
    if (path === '') at += 2
    files.push(added === '-' ? { path: name } : { path: name, added: Number(added), removed: Number(removed) })
  }
  return files
}

export interface BlameLine {
  line: number
  hash: string
  author: string
  date: string
  text: string
}

/** Reads `--porcelain`, in which a commit is described the first time it comes up. */
export function parseBlame({ text }: GitOutput): BlameLine[] {
  const known = new Map<string, { author: string; date: string }>()
  const lines: BlameLine[] = []
  let hash = ''
  let line = 0
  for (const row of text.split('\n')) {
    const header = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(row)
    const about = known.get(hash)
    if (row.startsWith('\t')) {
      lines.push({ line, hash, author: about?.author ?? '', date: about?.date ?? '', text: redact(row.slice(1)) })
    } else if (header !== null) {
      hash = header[1]!
      line = Number(header[2])
      if (!known.has(hash)) known.set(hash, { author: '', date: '' })
    } else if (about !== undefined && row.startsWith('author ')) about.author = spellLine(row.slice(7))
    else if (about !== undefined && row.startsWith('author-time ')) {
      about.date = new Date(Number(row.slice(12)) * 1000).toISOString()
    }
  }
  return lines
}

export interface Branch {
  name: string
  kind: 'branch' | 'remote' | 'tag'
  hash: string
  date: string
  subject: string
  current: boolean
}

export const BRANCH_FORMAT =
  '--format=%(refname)%00%(objectname)%00%(*objectname)%00%(creatordate:iso-strict)%00%(HEAD)%00%(contents:subject)'

export function parseBranches({ text }: GitOutput): Branch[] {
  return text.split('\n').flatMap((row): Branch[] => {
    const [ref = '', hash = '', tagged = '', date = '', head = '', subject = ''] = row.split('\0')
    const [, folder, name] = /^refs\/(heads|remotes|tags)\/(.+)$/.exec(ref) ?? []
    if (name === undefined) return []
    const kind = folder === 'heads' ? 'branch' : folder === 'tags' ? 'tag' : 'remote'
    return [{ name: spellLine(name), kind, hash: tagged || hash, date, subject: shown(subject), current: head === '*' }]
  })
}
