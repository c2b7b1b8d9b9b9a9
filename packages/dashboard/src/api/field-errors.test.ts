/** Messages of the service below the labels of a form. */
import { ApiError, type ApiErrorBody } from '@status-page/client'
import { comparisonIssue, type Issue, ruleKeywords } from '@status-page/contracts'
import t from 'tap'
import { problems as german } from '../texts/de/problems.ts'
import { problems as english } from '../texts/en/problems.ts'
import { entryErrorOf, fieldErrorsOf } from './field-errors.ts'

type Details = NonNullable<ApiErrorBody['details']>

const refusedWith = (issues: readonly Issue[]) => {
  const details = { issues } as Details
  return new ApiError(400, { code: 'VALIDATION_ERROR', message: 'refused', details })
}

t.test('a message below a label does not repeat the path of the field', async (t) => {
  const errors = fieldErrorsOf(
    refusedWith([
      { field: 'layers[0].userIds', message: 'layers[0].userIds must have at least 1 entry' },
      { field: 'recurrence.until', message: 'until must be on a weekday' },
      { field: 'password', message: 'password is incorrect' },
      { field: 'url', message: 'has an address that is not public' },
      { field: 'name', message: 'another component has this name' },
    ]),
    english,
  )
  t.same(errors, {
    'layers[0].userIds': 'Must have at least 1 entry',
    'recurrence.until': 'Must be on a weekday',
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

t.test('frequent problems have a sentence in the language of the user', async (t) => {
  const errors = fieldErrorsOf(
    refusedWith([
      { field: 'name', message: 'name must not be empty', keyword: 'minLength', limit: 1 },
      { field: 'slug', message: 'slug is required', keyword: 'required' },
      { field: 'title', message: 'title must have …', keyword: 'maxLength', limit: 255 },
      { field: 'logoUrl', message: 'logoUrl must be …', keyword: 'format', format: 'https-url' },
      { field: 'email', message: 'email must be …', keyword: 'format', format: 'mailbox' },
      { field: 'checkInterval', message: 'checkInterval …', keyword: 'minimum', limit: 10 },
    ]),
    german,
  )
  t.same(errors, {
    name: german.keywords.required,
    slug: german.keywords.required,
    title: 'Höchstens 255 Zeichen',
    logoUrl: german.url,
    email: german.email,
    checkInterval: 'Mindestens 10',
  })
})

t.test('a comparison names the other field by its label', async (t) => {
  const error = refusedWith([comparisonIssue('scheduledUntil', 'after', 'scheduledFor')])
  t.same(fieldErrorsOf(error, german, { labels: { scheduledFor: 'Beginn' } }), {
    scheduledUntil: 'Muss nach „Beginn“ liegen',
  })
  t.same(
    fieldErrorsOf(error, english),
    { scheduledUntil: 'Must be after scheduledFor' },
    'a field that the form does not show has its name in requests',
  )
})

t.test('each rule of the service has a sentence', async (t) => {
  const issues = ruleKeywords.map((keyword) => ({ field: keyword, message: 'refused', keyword }))
  const errors = fieldErrorsOf(refusedWith(issues), german)
  for (const keyword of ruleKeywords) t.notMatch(errors[keyword], 'refused', keyword)
})

t.test('another problem has the message of the service as its detail', async (t) => {
  const issue = { field: 'name', message: 'another component has this name' }
  t.same(fieldErrorsOf(refusedWith([issue]), german), {
    name: 'Dieser Wert ist ungültig (Another component has this name)',
  })
  const details: Details = { reason: 'duplicate' }
  const body = { code: 'CONFLICT', message: 'The slug is already in use', details } as const
  t.same(fieldErrorsOf(new ApiError(409, body), german, { uniqueField: 'slug' }), {
    slug: 'Dieser Wert wird bereits verwendet (The slug is already in use)',
  })
})
