/**
 * Edits that a language server proposes: shown as differences, asked about, and written. Where one file cannot be written, those
 * written before it are put back as they were, unless somebody has changed them again by then, which is said.
 */

import { ToolError } from '@portico/sdk/server'
import { requireConfirmation } from '../confirmation.ts'
import { replaceFile, type Snapshot, takeSnapshot } from '../files/write.ts'
import { readRegularText } from '../machine/regular-file.ts'
import { toDifference, toShown } from '../text/difference.ts'
import { spellHidden } from '../text/plain-text.ts'
import { requireWellFormed } from '../text/well-formed.ts'
import { toList, toObject, toText } from '../vendor/values.ts'
import type { Context, EditorHost } from './host.ts'
import { applyEdits, isRange, readRange, type TextEdit } from './positions.ts'

const MAX_FILES = 100

interface FileChange {
  readonly path: string
  readonly before: string
  readonly after: string
  readonly snapshot: Snapshot
}

/** The files that an edit would change; throws for files outside of the folders, and for anything but text edits. */
export async function readEdit(host: EditorHost, edit: unknown): Promise<readonly FileChange[]> {
  const { changes, documentChanges } = toObject(edit)
  const byUri = Array.isArray(documentChanges)
    ? toList(documentChanges).map(documentEdits)
    : Object.entries(toObject(changes))
  if (byUri.length > MAX_FILES)
    throw new ToolError(`That would change ${byUri.length} files; at most ${MAX_FILES} are changed at once.`)
  // By their real places: one file may be named in several ways, and all edits speak of it as it is now.
  const byPath = new Map<string, TextEdit[]>()
  for (const [uri, edits] of byUri) {
    const path = await host.inFolder(uri)
    if (path === undefined)
      throw new ToolError('The language server would change a file outside of the folder. Nothing was changed.')
    byPath.set(path, [...(byPath.get(path) ?? []), ...toTextEdits(edits)])
  }
  const changed: FileChange[] = []
  for (const [path, edits] of byPath) changed.push(await readChange(host, path, edits))
  return changed.filter(({ before, after }) => before !== after)
}

function documentEdits({ textDocument, edits, kind }: ReturnType<typeof toObject>): [string, unknown] {
  if (kind !== undefined)
    throw new ToolError('The language server would make, rename or delete files, which is not done here.')
  return [toText(toObject(textDocument).uri), edits]
}

/** Snippets and whatever else is no plain text at a plain place would be written wrongly, so they are not written. */
function toTextEdits(edits: unknown): TextEdit[] {
  return toList(edits).map(({ range, newText }) => {
    if (typeof newText !== 'string' || !isRange(range))
      throw new ToolError('The language server sent an edit that is no plain text. Nothing was changed.')
    return { range: readRange(range), newText }
  })
}

async function readChange(host: EditorHost, given: string, edits: readonly TextEdit[]): Promise<FileChange> {
  const { path } = await host.file(given)
  const snapshot = await takeSnapshot(path, host.settings.maxFileBytes)
  const before = snapshot.bytes.toString('utf8')
  // What is not UTF-8 would not come back as it was, wherever it stands.
  if (!Buffer.from(before, 'utf8').equals(snapshot.bytes))
    throw new ToolError(`${host.name(path)} is not in UTF-8. Nothing was changed.`)
  const after = applyEdits(before, edits)
  requireWellFormed(after)
  return { path, before, after, snapshot }
}

/** The edits of one file, as they are when somebody asks to format it. */
export function editOf(uri: string, edits: unknown): object {
  return { changes: { [uri]: edits } }
}

export function differences(host: EditorHost, changes: readonly FileChange[]): string {
  return changes.map((change) => differenceOf(host, change)).join('\n')
}

function differenceOf(host: EditorHost, { path, before, after }: FileChange): string {
  return toDifference(host.name(path), before, after)
}

/** Shows all of it, asks, and writes; a file that somebody changed meanwhile stops it. */
export async function applyChanges(
  host: EditorHost,
  changes: readonly FileChange[],
  question: string,
  ctx: Context,
): Promise<string> {
  const shown = changes.map((change) => toShown(differenceOf(host, change), change.after)).join('\n')
  await requireConfirmation(ctx, question, host.settings.allowUnasked, spellHidden(shown))
  for (const { path, before } of changes) {
    if ((await readRegularText(path)) !== before)
      throw new ToolError(`${host.name(path)} was changed meanwhile. Nothing was written.`)
  }
  const written: FileChange[] = []
  for (const change of changes) {
    try {
      await replaceFile(await host.file(change.path), Buffer.from(change.after, 'utf8'), change.snapshot)
      written.push(change)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const left = await putBack(host, written)
      const end = left.length === 0 ? 'No file was changed.' : `These stay changed: ${left.join(', ')}.`
      throw new ToolError(`${host.name(change.path)} could not be written (${reason}). ${end}`, { cause: error })
    }
  }
  return `Changed ${written.map(({ path }) => host.name(path)).join(', ') || 'nothing'}.`
}

/** The names of the files that cannot be put back: what somebody wrote meanwhile is theirs. */
async function putBack(host: EditorHost, written: readonly FileChange[]): Promise<readonly string[]> {
  const left: string[] = []
  for (const { path, after, snapshot } of written) {
    try {
      const reached = await host.file(path, Number.MAX_SAFE_INTEGER)
      const now = await takeSnapshot(path, Number.MAX_SAFE_INTEGER)
      if (now.bytes.equals(Buffer.from(after, 'utf8'))) await replaceFile(reached, snapshot.bytes, now)
      else left.push(host.name(path))
    } catch {
      left.push(host.name(path))
    }
  }
  return left
}
