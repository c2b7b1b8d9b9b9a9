/** Representation of a stored row in replies and events, derived from the schema. */
import type { Static, TObject } from '@sinclair/typebox'

/** Source of a view; strings may be given as times, and optional fields as undefined. */
type ViewSource<View> = {
  [Field in keyof View]:
    | View[Field]
    | (string extends View[Field] ? Date : never)
    | (Record<never, never> extends Pick<View, Field> ? undefined : never)
}

/** Returns the fields of the schema, times as ISO 8601; other fields of the row are omitted. */
export const viewOf = <Schema extends TObject>(
  schema: Schema,
  row: ViewSource<Static<Schema>>,
): Static<Schema> => {
  const view: Record<string, unknown> = {}
  for (const field in schema.properties) {
    const value: unknown = row[field as keyof typeof row]
    if (value !== undefined) view[field] = value instanceof Date ? value.toISOString() : value
  }
  return view as Static<Schema>
}
