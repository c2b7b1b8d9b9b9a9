/** Inputs of the forms. */
import type { AccountTexts, FormField } from '@status-page/html/texts'

export interface FormInput {
  /** Name in the form and in the operation of the JSON API. */
  name: string
  label: FormField
  /** Rule whose hint and message are shown. */
  rule: FormField
  /** `lines` is a text of several lines, `choice` one of the options. */
  type: 'text' | 'email' | 'password' | 'lines' | 'choice'
  autocomplete?: string
  isOptional?: boolean
  /** Labels of the options by value, the default first. */
  options?: (texts: AccountTexts) => Readonly<Record<string, string>>
  /** Class of the input's element. */
  className?: string
}

const input = (
  name: FormField,
  type: FormInput['type'],
  autocomplete: string,
  rule: FormField = name,
): FormInput => ({ name, label: name, rule, type, autocomplete })

export const inputs = {
  organizationName: input('organizationName', 'text', 'organization'),
  name: input('name', 'text', 'name'),
  email: input('email', 'email', 'username'),
  password: input('password', 'password', 'current-password'),
  chosenPassword: input('password', 'password', 'new-password', 'newPassword'),
  newPassword: input('newPassword', 'password', 'new-password'),
  code: input('code', 'text', 'one-time-code'),
  appCode: { ...input('code', 'text', 'one-time-code', 'appCode'), label: 'appCode' },
  ssoAccount: input('ssoAccount', 'text', 'username'),
} as const satisfies Record<string, FormInput>

/** Inputs of a new status page, whose names differ from those of an account. */
export const pageInputs = {
  name: { name: 'name', label: 'pageName', rule: 'pageName', type: 'text', autocomplete: 'off' },
  slug: {
    name: 'slug',
    label: 'slug',
    rule: 'slug',
    type: 'text',
    autocomplete: 'off',
    isOptional: true,
  },
  urls: { name: 'urls', label: 'urls', rule: 'urls', type: 'lines', isOptional: true },
  visibility: {
    name: 'visibility',
    label: 'visibility',
    rule: 'visibility',
    type: 'choice',
    options: ({ newPage }) => newPage.visibilities,
  },
  password: {
    name: 'password',
    label: 'pagePassword',
    rule: 'pagePassword',
    type: 'password',
    autocomplete: 'new-password',
    isOptional: true,
    className: 'for-password',
  },
} as const satisfies Record<string, FormInput>
