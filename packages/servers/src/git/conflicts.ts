/**
 * Files in conflict, as the index holds them: the common ancestor, ours and theirs. A resolution goes into the index as an
 * object and from there, by git, to the working tree, so that no file is written past a link and no filter is run.
 */

import { ToolError } from '@portico/sdk/server'
import { createTwoFilesPatch } from 'diff'
import { redact } from './redact.ts'
import { checkRepositoryPath } from './refs.ts'
import type { Repository } from './repository.ts'
import { refuseFiltered } from './staging.ts'
import { requirePlaces } from './unsaved/in-the-way.ts'

interface Side {
  readonly mode: string
  readonly hash: string
}

interface Conflict {
  readonly path: string
  readonly base?: Side
  readonly ours?: Side
  readonly theirs?: Side
}

type Take = 'ours' | 'theirs' | 'content'

const STAGES = { '1': 'base', '2': 'ours', '3': 'theirs' } as const
const REGULAR = '100644'
const SUBMODULE = '160000'
const LINK = '120000'

/** In place of a difference where there is none. */
export const BINARY = '(binary)'
const INCOMPARABLE = '(too different to compare)'

/** Every file in conflict, or the one that is named. */
export async function readConflicts(repository: Repository, path?: string): Promise<Conflict[]> {
  const limit = path === undefined ? [] : ['--', checkRepositoryPath(path)]
  const { text, truncated } = await repository.run(['ls-files', '--unmerged', '-z', ...limit])
  if (truncated) throw new ToolError('There are too many conflicts for one answer: name a path')
  const found = new Map<string, { path: string; base?: Side; ours?: Side; theirs?: Side }>()
  for (const record of text.split('\0')) {
    const [, mode, hash, stage, name] = /^(\d{6}) ([0-9a-f]{40,64}) ([123])\t(.+)$/s.exec(record) ?? []
    if (mode === undefined || hash === undefined || stage === undefined || name === undefined) continue
    const known = found.get(name) ?? { path: name }
    // The expression allows no other stage.
    known[STAGES[stage as keyof typeof STAGES]] = { mode, hash }
    found.set(name, known)
  }
  return [...found.values()]
}

export async function requireConflict(repository: Repository, path: string): Promise<Conflict> {
  const checked = checkRepositoryPath(path)
  const found = (await readConflicts(repository, checked)).find((one) => one.path === checked)
  if (found === undefined) throw new ToolError(`${path} is not in conflict. The tool "conflicts" lists what is`)
  if ([found.base, found.ours, found.theirs].some((side) => side?.mode === SUBMODULE)) {
    throw new ToolError(`${path} is a submodule: git would have to run inside of it. Resolve it by hand`)
  }
  return found
}

/** What one side says: nothing where it deleted the file. */
export async function textOf(
  repository: Repository,
  side: Side | undefined,
): Promise<{ readonly text: string; readonly isBinary: boolean; readonly isCut: boolean }> {
  if (side === undefined || side.mode === SUBMODULE) return { text: '', isBinary: false, isCut: false }
  const { text, truncated } = await repository.run(['cat-file', 'blob', side.hash])
  const isBinary = text.includes('\0')
  return { text: isBinary ? '' : redact(text), isBinary, isCut: truncated }
}

/** What a resolution would make of our side; `text` is absent where it deletes the file. */
export async function previewOf(
  repository: Repository,
  conflict: Conflict,
  take: Take,
  content: string | undefined,
): Promise<{ readonly text?: string; readonly diff: string; readonly truncated: boolean }> {
  const ours = await textOf(repository, conflict.ours)
  const given = content === undefined ? undefined : { text: redact(content), isBinary: false, isCut: false }
  const side = take === 'content' ? given : take === 'ours' ? ours : await textOf(repository, conflict.theirs)
  const isDeleted = take !== 'content' && conflict[take] === undefined
  const truncated = ours.isCut || side?.isCut === true
  if (ours.isBinary || side?.isBinary === true) return { diff: BINARY, truncated }
  const text = side?.text ?? ''
  const options = { context: 3, timeout: 1_000, maxEditLength: 20_000 }
  const patch = createTwoFilesPatch(conflict.path, conflict.path, ours.text, text, 'ours', 'resolved', options)
  return { ...(!isDeleted && { text }), diff: patch ?? INCOMPARABLE, truncated }
}

/** Puts the resolution into the index and the working tree. */
export async function resolve(
  repository: Repository,
  conflict: Conflict,
  take: Take,
  content: string | undefined,
): Promise<void> {
  const { path } = conflict
  await refuseFiltered(repository, `${path}\0`)
  await requirePlaces(repository, [path])
  const side = take === 'content' ? await store(repository, conflict, content ?? '') : conflict[take]
  if (side === undefined) {
    await repository.run(['rm', '--quiet', '--force', '--', path])
    return
  }
  // Mode 0 takes all sides out; then the one that was chosen goes in.
  const nothing = `0 ${'0'.repeat(side.hash.length)}\t${path}\0`
  const input = `${nothing}${side.mode} ${side.hash} 0\t${path}\0`
  await repository.run(['update-index', '-z', '--index-info'], { input })
  await repository.run(['checkout-index', '--index', '--quiet', '--force', '--', path])
}

async function store(repository: Repository, { ours, theirs }: Conflict, content: string): Promise<Side> {
  const mode = ours?.mode ?? theirs?.mode ?? REGULAR
  if (mode === LINK) throw new ToolError('It is a symbolic link: take "ours" or "theirs"')
  const { text } = await repository.run(['hash-object', '-w', '--no-filters', '--stdin'], { input: content })
  return { mode, hash: text.trim() }
}
