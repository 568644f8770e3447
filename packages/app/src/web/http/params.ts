/** What the page sends, looked at before it is used: small readers that a method puts together for its own params. */

import type { JsonObject } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'

/** A request that is not as the contract says. */
export class ParamsError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ParamsError'
  }
}

export type Reader<T> = (value: unknown, name: string) => T

type Read<Shape extends { readonly [name: string]: Reader<unknown> }> = {
  readonly [Name in keyof Shape]: ReturnType<Shape[Name]>
}

export function readParams<const Shape extends { readonly [name: string]: Reader<unknown> }>(
  params: unknown,
  shape: Shape,
): Read<Shape> {
  if (!isObject(params)) throw new ParamsError('The params must be an object')
  const entries = Object.entries(shape).map(([name, reader]) => [
    name,
    reader(Object.hasOwn(params, name) ? params[name] : undefined, name),
  ])
  // Every member was made by the reader of that name.
  return Object.fromEntries(entries) as Read<Shape>
}

const MAX_TEXT = 1_048_576
const MAX_LIST = 1_000

export const text: Reader<string> = (value, name) => {
  if (typeof value !== 'string' || value.length > MAX_TEXT) throw new ParamsError(`"${name}" must be a text`)
  return value
}

export const flag: Reader<boolean> = (value, name) => {
  if (typeof value !== 'boolean') throw new ParamsError(`"${name}" must be true or false`)
  return value
}

export const number: Reader<number> = (value, name) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new ParamsError(`"${name}" must be a number`)
  return value
}

export const object: Reader<JsonObject> = (value, name) => {
  if (!isObject(value)) throw new ParamsError(`"${name}" must be an object`)
  return value
}

/** An object whose members are all texts. */
export const texts: Reader<{ readonly [name: string]: string }> = (value, name) => {
  const members = Object.entries(object(value, name)).map(([key, one]) => [key, text(one, `${name}.${key}`)] as const)
  return Object.fromEntries(members)
}

export function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, name) => (value === undefined || value === null ? undefined : reader(value, name))
}

export function list<T>(reader: Reader<T>): Reader<readonly T[]> {
  return (value, name) => {
    if (!Array.isArray(value) || value.length > MAX_LIST) {
      throw new ParamsError(`"${name}" must be a list of at most ${MAX_LIST}`)
    }
    return value.map((one, at) => reader(one, `${name}[${at}]`))
  }
}

export function oneOf<const Word extends string>(words: readonly Word[]): Reader<Word> {
  return (value, name) => {
    const found = words.find((word) => word === value)
    if (found === undefined) throw new ParamsError(`"${name}" must be one of ${words.join(', ')}`)
    return found
  }
}

/** Whether a member was sent at all, be it null. */
export function has(params: unknown, name: string): boolean {
  return isObject(params) && Object.hasOwn(params, name)
}
