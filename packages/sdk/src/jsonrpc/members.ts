/** Members of objects that will be JSON, which has no undefined: what was not given must not be there at all. */

export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The members that are not undefined. */
export function withoutUndefined<T extends object>(members: T): Defined<T> {
  // Only members of the type's own keys are left, none of them undefined.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>
}
