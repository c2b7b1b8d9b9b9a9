/** Messages of the service below the labels of a form. */
import { ApiError } from '@status-page/client'
import t from 'tap'
import { entryErrorOf, fieldErrorsOf } from './field-errors.ts'

const refusedWith = (issues: { field: string; message: string }[]) =>
  new ApiError(400, { code: 'VALIDATION_ERROR', message: 'refused', details: { issues } })

t.test('a message below a label does not repeat the path of the field', async (t) => {
  const errors = fieldErrorsOf(
    refusedWith([
      { field: 'layers[0].userIds', message: 'layers[0].userIds must have at least 1 entry' },
      { field: 'recurrence.until', message: 'until must be after scheduledFor' },
      { field: 'password', message: 'password is incorrect' },
      { field: 'url', message: 'has an address that is not public' },
      { field: 'name', message: 'another component has this name' },
    ]),
  )
  t.same(errors, {
    'layers[0].userIds': 'Must have at least 1 entry',
    'recurrence.until': 'Must be after scheduledFor',
    password: 'This value is incorrect',
    url: 'This value has an address that is not public',
    name: 'Another component has this name',
  })
})

t.test('the error of a list in one text names its entry', async (t) => {
  const errors = { 'ranges[1]': 'Must be a range', other: 'Must be set' }
  t.equal(entryErrorOf(errors, 'ranges', ['10.0.0.0/8', '1.2']), '\u20681.2\u2069: Must be a range')
  t.equal(entryErrorOf(errors, 'ranges', ['10.0.0.0/8']), 'Must be a range', 'it was removed')
  t.equal(entryErrorOf(errors, 'other', []), 'Must be set')
  t.equal(entryErrorOf(errors, 'range', []), undefined)
})
