/** Members of objects that will be JSON, which has no undefined: what was not given must not be there at all. */

export type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The members that are not undefined. */
export function given<T extends object>(members: T): Given<T> {
  // Only members of the type's own keys are left, none of them undefined.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>
}
