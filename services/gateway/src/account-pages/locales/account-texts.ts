/** Texts of the account pages in one language; `{}` is the placeholder of a name or a number. */

/** Fields of the forms; each has a label and one message for every kind of invalid input. */
export const formFields = [
  'organizationName',
  'name',
  'email',
  'password',
  'newPassword',
  'code',
] as const
export type FormField = (typeof formFields)[number]

export interface AccountTexts {
  direction: 'ltr' | 'rtl'
  labels: Record<FormField, string>
  hints: Partial<Record<FormField, string>>
  invalid: Record<FormField, string>

  problems: {
    fields: string
    wrongLogin: string
    wrongCode: string
    knownAddress: string
    /** The placeholder is a duration. */
    tooMany: string
    unavailable: string
    crossSite: string
    malformed: string
    failed: string
  }
  problemTitle: string

  setup: {
    title: string
    intro: string
    submit: string
    needed: string
    neededIntro: string
    done: string
    doneIntro: string
  }
  signIn: {
    title: string
    submit: string
    forgot: string
    register: string
    passwordChanged: string
    code: string
    codeIntro: string
    startOver: string
    signOut: string
  }
  register: {
    title: string
    submit: string
    closed: string
    closedIntro: string
    haveAccount: string
  }
  /** The placeholder is the name of the organization, or the e-mail address. */
  invitation: {
    title: string
    address: string
    accept: string
    signIn: string
    otherAccount: string
    notMine: string
    member: string
    notAllowed: string
  }
  reset: {
    forgot: string
    forgotIntro: string
    send: string
    sent: string
    sentIntro: string
    title: string
    submit: string
  }
  verify: {
    title: string
    intro: string
    submit: string
    done: string
  }
  invalidLink: { title: string; intro: string }
  account: {
    title: string
    pages: string
    noPages: string
    documentation: string
    needsTwoFactor: string
    unverified: string
    resend: string
  }
  home: { pages: string; noPages: string }
}
