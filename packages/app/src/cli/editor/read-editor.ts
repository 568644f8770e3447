/**
 * What an editor answers, looked at before a model or a server gets it: shapes are checked, lists and texts are bounded,
 * and files that are outside of the folder or look like secrets are left out, whatever the editor says is open.
 */

import { isObject } from '@portico/sdk/internal'
import type { EditorDiagnostic, EditorSelection, OpenFile } from './protocol.ts'

const EDITOR_BOUNDS = {
  files: 500,
  diagnostics: 1_000,
  message: 2_000,
  selection: 100_000,
  text: 2_000_000,
} as const

const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const
/** Keys and passwords by their usual names; whoever wants a model to have one can paste it. */
const SECRET_NAME =
  /^(?:\.env(?:\..*)?|\.npmrc|\.netrc|\.pgpass|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12|pfx|kdbx|keystore)|credentials(?:\.json)?|secrets?\.(?:json|ya?ml|toml))$/i

export function readFiles(answer: unknown): OpenFile[] {
  return listIn(answer, 'files')
    .flatMap((file) => {
      const { path, language, modified } = file
      if (!isOffered(path)) return []
      return [
        { path, ...(typeof language === 'string' && { language: cut(language, 60) }), modified: modified === true },
      ]
    })
    .slice(0, EDITOR_BOUNDS.files)
}

export function readText(answer: unknown): string {
  const { text } = isObject(answer) ? answer : {}
  if (typeof text !== 'string') throw new TypeError('The editor did not give the text')
  return cut(text, EDITOR_BOUNDS.text)
}

export function readDiagnostics(answer: unknown): EditorDiagnostic[] {
  return listIn(answer, 'diagnostics')
    .flatMap(({ path, line, column, severity, message, source }) => {
      if (!isOffered(path) || !isCount(line) || typeof message !== 'string') return []
      const known = SEVERITIES.find((one) => one === severity) ?? 'information'
      return [
        {
          path,
          line,
          ...(isCount(column) && { column }),
          severity: known,
          message: cut(message, EDITOR_BOUNDS.message),
          ...(typeof source === 'string' && { source: cut(source, 60) }),
        },
      ]
    })
    .slice(0, EDITOR_BOUNDS.diagnostics)
}

export function readSelection(answer: unknown): EditorSelection | null {
  const { selection } = isObject(answer) ? answer : {}
  if (!isObject(selection)) return null
  const { path, line, endLine, text } = selection
  if (!isOffered(path) || !isCount(line) || !isCount(endLine) || typeof text !== 'string') return null
  return { path, line, endLine, text: cut(text, EDITOR_BOUNDS.selection) }
}

/** A relative path that stays below the folder, and no file that holds keys. */
function isOffered(path: unknown): path is string {
  if (typeof path !== 'string' || path === '' || path.length > 4_096) return false
  const parts = path.split(/[\\/]/)
  if (/^[\\/]|^[a-z]:/i.test(path) || parts.includes('..') || parts.includes('.git')) return false
  return !parts.some((part) => SECRET_NAME.test(part))
}

function listIn(answer: unknown, name: string): { readonly [member: string]: unknown }[] {
  const list = isObject(answer) ? answer[name] : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
