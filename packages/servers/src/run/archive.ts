/**
 * Reads the plain archive (ustar) in which a sandbox hands out its files. What made it is not to be trusted: everything
 * is bounded, and only ordinary files with names that stay inside are taken.
 */

import { isFileName } from './file-name.ts'
import type { RunFile } from './outcome.ts'

const BLOCK = 512

export interface Unpacked {
  readonly files: readonly RunFile[]
  /** Whether there was more than could be taken, or something that could not be read. */
  readonly isWhole: boolean
  /** How many files were left out for their names. */
  readonly unfit: number
}

export function readArchive(archive: Buffer, maxFiles: number, maxBytes: number): Unpacked {
  const files: RunFile[] = []
  let at = 0
  let size = 0
  let unfit = 0
  while (at + BLOCK <= archive.length) {
    const head = archive.subarray(at, at + BLOCK)
    if (head[0] === 0) return { files, isWhole: true, unfit }
    const length = Number.parseInt(textOf(head, 124, 12), 8)
    if (textOf(head, 257, 5) !== 'ustar' || !(length >= 0) || at + BLOCK + length > archive.length) break
    const path = pathOf(head)
    const kind = head[156]
    // '0' and NUL are ordinary files; links, devices and folders are left out.
    const isFile = kind === 0x30 || kind === 0
    if (isFile && path === undefined) unfit++
    if (isFile && path !== undefined) {
      size += length
      if (files.length === maxFiles || size > maxBytes) break
      files.push({ path, bytes: Uint8Array.from(archive.subarray(at + BLOCK, at + BLOCK + length)) })
    }
    at += BLOCK + Math.ceil(length / BLOCK) * BLOCK
  }
  return { files, isWhole: false, unfit }
}

function pathOf(head: Buffer): string | undefined {
  const prefix = textOf(head, 345, 155)
  const whole = `${prefix === '' ? '' : `${prefix}/`}${textOf(head, 0, 100)}`.replace(/^\.\//, '')
  return isFileName(whole) ? whole : undefined
}

function textOf(head: Buffer, start: number, length: number): string {
  const field = head.subarray(start, start + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end).trim()
}
