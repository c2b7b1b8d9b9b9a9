/** English texts of the account pages. */
import type { AccountTexts } from './account-texts.ts'

export const en: AccountTexts = {
  direction: 'ltr',
  labels: {
    organizationName: 'Organization',
    name: 'Your name',
    email: 'Email address',
    password: 'Password',
    newPassword: 'New password',
    code: 'Code',
  },
  hints: {
    organizationName: 'Shown to your team and in notifications.',
    newPassword: 'At least 8 characters.',
    code: 'Six digits from your authenticator app, or a backup code.',
  },
  invalid: {
    organizationName: 'Enter a name of 1 to 100 characters.',
    name: 'Enter a name of 1 to 100 characters.',
    email: 'Enter an email address such as name@example.com.',
    password: 'Enter your password.',
    newPassword:
      'Choose a password of at least 8 characters and at most 72 bytes that is not your email address and not a common one.',
    code: 'Enter the six digits of your authenticator app, or a backup code.',
  },

  problems: {
    fields: 'Some entries are not valid. Check them and try again.',
    wrongLogin: 'The email address or the password is incorrect.',
    wrongCode: 'The code is incorrect or was already used.',
    knownAddress: 'An account with this address already exists. Sign in instead.',
    tooMany: 'Too many attempts. Try again in {}.',
    unavailable: 'The service is busy at the moment. Try again in a few seconds.',
    crossSite: 'The form was sent from another website. Open this page directly and try again.',
    malformed: 'The request could not be read. Go back and try again.',
    failed: 'An unexpected error occurred. Try again later.',
  },
  problemTitle: 'Something went wrong',

  setup: {
    title: 'Set up your status page',
    intro: 'Create your organization and its first account. It owns everything that follows.',
    submit: 'Create account',
    needed: 'Almost ready',
    neededIntro:
      'No account exists yet. Open the setup link that the service printed when it started; it is in the terminal of npm start or in the log of the gateway.',
    done: 'Already set up',
    doneIntro: 'The first account exists, so the setup link is no longer valid.',
  },
  signIn: {
    title: 'Sign in',
    submit: 'Sign in',
    forgot: 'Forgot your password?',
    register: 'Create an account',
    passwordChanged: 'Your password was changed. Sign in with the new one.',
    code: 'Two-factor authentication',
    codeIntro: 'Your account is protected by a second factor.',
    startOver: 'Sign in with another account',
    signOut: 'Sign out',
  },
  register: {
    title: 'Create an account',
    submit: 'Create account',
    closed: 'Registration is closed',
    closedIntro: 'New accounts need an invitation. Ask a member of your organization for one.',
    haveAccount: 'Sign in to an existing account',
  },
  invitation: {
    title: 'Join {}',
    address: 'The invitation was sent to {}.',
    accept: 'Accept invitation',
    signIn: 'Sign in as {} to accept',
    otherAccount: 'You are signed in as {}. Sign out to accept the invitation.',
    notMine: 'I have no account yet',
    member: 'You are already a member of this organization.',
    notAllowed: 'Your address does not belong to a domain that this organization allows.',
  },
  reset: {
    forgot: 'Reset your password',
    forgotIntro: 'Enter your email address to receive a link for a new password.',
    send: 'Send link',
    sent: 'Check your inbox',
    sentIntro:
      'If an account with this address exists, an email with a link is on its way. The link is valid for one hour.',
    title: 'Choose a new password',
    submit: 'Save password',
  },
  verify: {
    title: 'Confirm your email address',
    intro: 'Confirm that {} is your email address.',
    submit: 'Confirm address',
    done: 'Your email address is confirmed.',
  },
  invalidLink: {
    title: 'This link is not valid',
    intro: 'It has already been used, has expired or is incomplete.',
  },
  account: {
    title: 'You are signed in',
    pages: 'Your status pages',
    noPages: 'There are no published status pages yet.',
    documentation: 'API documentation',
    needsTwoFactor:
      'Your organization requires a second factor. Set it up before you continue (see the API documentation, two-factor).',
    unverified: 'Your email address is not confirmed yet. Open the link in the email we sent you.',
    resend: 'Send the email again',
  },
  home: { pages: 'Status pages', noPages: 'There are no public status pages yet.' },
}
