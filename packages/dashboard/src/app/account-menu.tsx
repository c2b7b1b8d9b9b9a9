/** Menu of the user: organization, appearance, language, account and logout. */
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import {
  Button,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
} from 'react-aria-components'
import { api, basePath, dashboardPath } from '../api/client.ts'
import { Icon } from '../kit/icon.tsx'
import menuClasses from '../kit/menu.module.css'
import { useSession } from '../session/session.tsx'
import { dashboardLocales, languages } from '../texts/locales.ts'
import { useLanguage, useTexts } from '../texts/texts.tsx'
import classes from './account-menu.module.css'
import { chooseTheme, chosenTheme, type ThemeChoice, themes } from './theme.ts'

interface AccountMenuProps {
  /** Receives the error of an action, because the menu closes with it; null once it is repeated. */
  onError(error: unknown): void
}

export const AccountMenu = ({ onError }: AccountMenuProps) => {
  const { account } = useTexts()
  const { user } = useSession()
  const navigate = useNavigate()
  const signOut = useMutation({ mutationFn: logOut, onMutate: () => onError(null), onError })
  return (
    <MenuTrigger>
      <Button className={classes.trigger} aria-label={account.menu}>
        <Icon name="user" />
      </Button>
      <Popover className={menuClasses.popover} placement="bottom end">
        <p className={classes.identity}>
          <strong>
            <bdi>{user.name}</bdi>
          </strong>
          <bdi>{user.email}</bdi>
        </p>
        <Menu className={menuClasses.list} aria-label={account.menu}>
          <OrganizationChoice onError={onError} />
          <AppearanceChoice />
          <LanguageChoice />
          <MenuSection className={menuClasses.section} aria-label={account.settings}>
            <Item onAction={() => void navigate({ to: '/account' })}>{account.settings}</Item>
            <Item href={`${basePath}/api/docs`}>{account.documentation}</Item>
            <Item onAction={() => signOut.mutate()}>{account.signOut}</Item>
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

const OrganizationChoice = ({ onError }: AccountMenuProps) => {
  const { account } = useTexts()
  const { organization, organizations } = useSession()
  const switchTo = useMutation({
    mutationFn: switchOrganization,
    onMutate: () => onError(null),
    onError,
  })
  return (
    <Choice
      title={account.organization}
      options={organizations.map(({ id, name }) => ({ value: id, label: name }))}
      value={organization.id}
      onChoose={(id) => id !== organization.id && switchTo.mutate(id)}
    />
  )
}

const AppearanceChoice = () => {
  const { account } = useTexts()
  const [theme, setTheme] = useState(chosenTheme)
  const choose = (choice: ThemeChoice) => {
    chooseTheme(choice)
    setTheme(choice)
  }
  const options = themes.map((value) => ({ value, label: account[value] }))
  return <Choice title={account.appearance} options={options} value={theme} onChoose={choose} />
}

const LanguageChoice = () => {
  const { texts, locale, setLocale } = useLanguage()
  const options = dashboardLocales.map((value) => ({ value, label: languages[value].name }))
  return (
    <Choice
      title={texts.account.language}
      options={options}
      value={locale}
      onChoose={(chosen) => setLocale(chosen)}
    />
  )
}

interface ChoiceProps<Value extends string> {
  title: string
  options: readonly { value: Value; label: string }[]
  value: Value
  onChoose(value: Value): void
}

const Choice = <Value extends string>(props: ChoiceProps<Value>) => {
  const { title, options, value, onChoose } = props
  const choose = (keys: 'all' | Set<React.Key>) => {
    const chosen = keys === 'all' ? undefined : options.find((option) => keys.has(option.value))
    if (chosen !== undefined) onChoose(chosen.value)
  }
  return (
    <MenuSection
      className={menuClasses.section}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={choose}
    >
      <Header className={menuClasses.heading}>{title}</Header>
      {options.map((option) => (
        <MenuItem key={option.value} id={option.value} className={menuClasses.item}>
          {option.label}
        </MenuItem>
      ))}
    </MenuSection>
  )
}

const Item = (props: { href?: string; onAction?(): void; children: ReactNode }) => (
  <MenuItem {...props} className={menuClasses.item} />
)

const switchOrganization = async (organizationId: string): Promise<void> => {
  await api.POST('/api/v1/auth/organization', { body: { organizationId } })
  location.assign(`${dashboardPath}/`)
}

const logOut = async (): Promise<void> => {
  await api.POST('/api/v1/auth/logout')
  location.assign(`${basePath}/sign-in`)
}
