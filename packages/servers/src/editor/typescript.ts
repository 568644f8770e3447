/**
 * What typescript-language-server needs to be told, and asked, besides the protocol: which compiler it runs, and what is
 * wrong with a file, which it otherwise tells in several parts, the first of them empty.
 */

import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ToolError } from '@portico/sdk/server'
import { toList, toObject, toText } from '../vendor/values.ts'
import type { Language } from './languages.ts'

type Json = ReturnType<typeof toObject>

/**
 * Its options at the start. By itself it runs the compiler that a project brings, and would download packages for it; here
 * it runs the one beside itself. It would also rename an import by an alias, and leave what is imported as it is.
 */
export function typescriptOptions({ command }: Language, allowProjectCode: boolean): object {
  const words = command.map(toReal)
  if (![...command, ...words].some((word) => /(?:^|[\\/])typescript-language-server(?:[\\/.]|$)/.test(word))) return {}
  // Behind a script of some tool for versions it cannot be told what it would run.
  const script = words.find((word) => /[\\/]typescript-language-server[\\/]/.test(word)) ?? ''
  const path = allowProjectCode ? undefined : compilerBeside(script)
  return {
    initializationOptions: {
      preferences: { providePrefixAndSuffixTextForRename: false },
      disableAutomaticTypingAcquisition: true,
      ...(path !== undefined && { tsserver: { path } }),
    },
  }
}

function compilerBeside(script: string): string {
  try {
    return join(dirname(createRequire(script).resolve('typescript')), 'tsserver.js')
  } catch (cause) {
    throw new ToolError(
      'typescript-language-server has no TypeScript beside it, and would run the one that the project brings. Install one (npm install -g typescript), or allow it by the option "allowProjectCode".',
      { cause },
    )
  }
}

function toReal(word: string): string {
  try {
    return realpathSync(word)
  } catch {
    return word
  }
}

const COMMAND = 'typescript.tsserverRequest'
const KINDS = ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync', 'suggestionDiagnosticsSync']
const SEVERITIES: { readonly [category: string]: number } = { error: 1, warning: 2, message: 3, suggestion: 4 }

/** Whether what is wrong can be asked of the compiler behind it. */
export function hasCompiler({ executeCommandProvider }: Json): boolean {
  const { commands } = toObject(executeCommandProvider)
  return Array.isArray(commands) && commands.includes(COMMAND)
}

/** Everything that is wrong with a file, in the protocol's shape. */
export async function askCompiler(request: (params: object) => Promise<unknown>, file: string): Promise<Json[]> {
  const found: Json[] = []
  for (const kind of KINDS) {
    const { body } = toObject(await request({ command: COMMAND, arguments: [kind, { file }] }))
    found.push(...toList(body).map(toDiagnostic))
  }
  return found
}

function toDiagnostic({ start, end, text, code, category, source }: Json): Json {
  return {
    range: { start: toPlace(start), end: toPlace(end) },
    severity: SEVERITIES[toText(category)] ?? 1,
    message: text,
    code,
    source: source ?? 'typescript',
  }
}

function toPlace(value: unknown): { readonly line: number; readonly character: number } {
  const { line, offset } = toObject(value)
  return { line: Number(line) - 1, character: Number(offset) - 1 }
}
