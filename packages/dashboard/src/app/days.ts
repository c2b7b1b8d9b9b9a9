/** Days of filters, as yyyy-mm-dd in the time zone of the browser. */

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Day of an address; undefined for a value that is none. */
export const dayOf = (value: unknown): string | undefined => {
  const text = String(value ?? '')
  return DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined
}

/** Local midnight of the day, or of a later one, in ISO 8601. */
export const startOfDay = (day: string, daysLater: number): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + daysLater).toISOString()
}
