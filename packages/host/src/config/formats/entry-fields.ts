/** Readers for the fields of an entry: each gives the value or reports what it should have been, without quoting it. */

import type { JsonObject } from '@portico/sdk/server'
import { type ConfigText, type Spot, toJson } from './config-text.ts'

/** A reader says `undefined` after it has reported a problem. */
export type Field<T> = (text: ConfigText, spot: Spot) => T | undefined

export const string: Field<string> = (text, spot) => {
  if (spot.node.type === 'string') return String(spot.node.value)
  return refuse(text, spot, 'a string')
}

export const boolean: Field<boolean> = (text, spot) => {
  if (spot.node.type === 'boolean') return spot.node.value === true
  return refuse(text, spot, 'true or false')
}

/** One of a few words. */
export function word<const W extends string>(words: readonly W[]): Field<W> {
  return (text, spot) =>
    words.find((one) => one === spot.node.value) ?? refuse(text, spot, `one of ${words.join(', ')}`)
}

export function whole(least: number, most: number): Field<number> {
  return (text, spot) => {
    const { type, value } = spot.node
    if (type === 'number' && Number.isInteger(value) && value >= least && value <= most) return Number(value)
    return refuse(text, spot, `a whole number from ${least} to ${most}`)
  }
}

export function list<T>(field: Field<T>): Field<T[]> {
  return (text, spot) => {
    if (spot.node.type !== 'array') return refuse(text, spot, 'a list')
    const values = text.items(spot).map((item) => field(text, item))
    return values.some((value) => value === undefined) ? undefined : values.filter((value) => value !== undefined)
  }
}

/** An object of equal values by name. Numbers and booleans are what people write for environment variables. */
export function record<T>(field: Field<T>): Field<{ [name: string]: T }> {
  return (text, spot) => {
    if (spot.node.type !== 'object') return refuse(text, spot, 'an object')
    const values: { [name: string]: T } = {}
    let complete = true
    for (const [name, member] of text.members(spot)) {
      if (name === '__proto__') {
        text.error(member, 'No member can have this name', 'Choose another name')
        complete = false
        continue
      }
      const value = field(text, member)
      if (value === undefined) complete = false
      else values[name] = value
    }
    return complete ? values : undefined
  }
}

export const scalar: Field<string> = (text, spot) => {
  const { type, value } = spot.node
  if (type === 'string' || type === 'number' || type === 'boolean') return String(value)
  return refuse(text, spot, 'a string')
}

export const object: Field<JsonObject> = (text, spot) => {
  // The type of the node says that it is an object.
  if (spot.node.type === 'object') return toJson(spot.node) as JsonObject
  return refuse(text, spot, 'an object')
}

function refuse(text: ConfigText, spot: Spot, wanted: string): undefined {
  text.error(spot, `This must be ${wanted}`, `Write ${wanted} here, or remove it`)
  return undefined
}
