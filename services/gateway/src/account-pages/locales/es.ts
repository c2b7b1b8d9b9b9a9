/** Spanish texts of the account pages. */
import type { AccountTexts } from './account-texts.ts'

export const es: AccountTexts = {
  direction: 'ltr',
  labels: {
    organizationName: 'Organización',
    name: 'Su nombre',
    email: 'Correo electrónico',
    password: 'Contraseña',
    newPassword: 'Contraseña nueva',
    code: 'Código',
  },
  hints: {
    organizationName: 'Visible para su equipo y en las notificaciones.',
    newPassword: 'Al menos 8 caracteres.',
    code: 'Seis dígitos de su aplicación de autenticación, o un código de respaldo.',
  },
  invalid: {
    organizationName: 'Introduzca un nombre de 1 a 100 caracteres.',
    name: 'Introduzca un nombre de 1 a 100 caracteres.',
    email: 'Introduzca una dirección de correo como nombre@example.com.',
    password: 'Introduzca su contraseña.',
    newPassword:
      'Elija una contraseña de al menos 8 caracteres y como máximo 72 bytes que no sea su dirección de correo ni una contraseña común.',
    code: 'Introduzca los seis dígitos de su aplicación de autenticación, o un código de respaldo.',
  },

  problems: {
    fields: 'Algunos datos no son válidos. Revíselos e inténtelo de nuevo.',
    wrongLogin: 'El correo electrónico o la contraseña no son correctos.',
    wrongCode: 'El código no es correcto o ya se ha utilizado.',
    knownAddress: 'Ya existe una cuenta con esta dirección. Inicie sesión.',
    tooMany: 'Demasiados intentos. Inténtelo de nuevo en {}.',
    unavailable: 'El servicio está ocupado en este momento. Inténtelo de nuevo en unos segundos.',
    crossSite:
      'El formulario se envió desde otro sitio web. Abra esta página directamente e inténtelo de nuevo.',
    malformed: 'No se pudo leer la solicitud. Vuelva atrás e inténtelo de nuevo.',
    failed: 'Se ha producido un error inesperado. Inténtelo más tarde.',
  },
  problemTitle: 'Algo ha salido mal',

  setup: {
    title: 'Configurar su página de estado',
    intro: 'Cree su organización y su primera cuenta, que será propietaria de todo.',
    submit: 'Crear cuenta',
    needed: 'Casi listo',
    neededIntro:
      'Aún no existe ninguna cuenta. Abra el enlace de configuración que el servicio mostró al iniciarse; está en el terminal de npm start o en el registro del gateway.',
    done: 'Ya está configurado',
    doneIntro: 'La primera cuenta existe, por lo que el enlace de configuración ya no es válido.',
  },
  signIn: {
    title: 'Iniciar sesión',
    submit: 'Iniciar sesión',
    forgot: '¿Ha olvidado su contraseña?',
    register: 'Crear una cuenta',
    passwordChanged: 'Su contraseña se ha cambiado. Inicie sesión con la nueva.',
    code: 'Autenticación de dos factores',
    codeIntro: 'Su cuenta está protegida por un segundo factor.',
    startOver: 'Iniciar sesión con otra cuenta',
    signOut: 'Cerrar sesión',
  },
  register: {
    title: 'Crear una cuenta',
    submit: 'Crear cuenta',
    closed: 'El registro está cerrado',
    closedIntro:
      'Las cuentas nuevas necesitan una invitación. Pídala a un miembro de su organización.',
    haveAccount: 'Iniciar sesión con una cuenta existente',
  },
  invitation: {
    title: 'Unirse a {}',
    address: 'La invitación se envió a {}.',
    accept: 'Aceptar la invitación',
    signIn: 'Iniciar sesión como {} para aceptar',
    otherAccount: 'Ha iniciado sesión como {}. Cierre la sesión para aceptar la invitación.',
    notMine: 'Todavía no tengo una cuenta',
    member: 'Ya es miembro de esta organización.',
    notAllowed: 'Su dirección no pertenece a un dominio permitido por esta organización.',
  },
  reset: {
    forgot: 'Restablecer la contraseña',
    forgotIntro: 'Introduzca su correo electrónico para recibir un enlace.',
    send: 'Enviar enlace',
    sent: 'Revise su bandeja de entrada',
    sentIntro:
      'Si existe una cuenta con esta dirección, recibirá un correo con un enlace. El enlace es válido durante una hora.',
    title: 'Elegir una contraseña nueva',
    submit: 'Guardar contraseña',
  },
  verify: {
    title: 'Confirmar su correo electrónico',
    intro: 'Confirme que {} es su dirección de correo.',
    submit: 'Confirmar dirección',
    done: 'Su correo electrónico está confirmado.',
  },
  invalidLink: {
    title: 'Este enlace no es válido',
    intro: 'Ya se ha utilizado, ha caducado o está incompleto.',
  },
  account: {
    title: 'Ha iniciado sesión',
    pages: 'Sus páginas de estado',
    noPages: 'Aún no hay páginas de estado publicadas.',
    documentation: 'Documentación de la API',
    needsTwoFactor:
      'Su organización exige un segundo factor. Configúrelo antes de continuar (consulte la documentación de la API, two-factor).',
    unverified:
      'Su correo electrónico aún no está confirmado. Abra el enlace del correo que le enviamos.',
    resend: 'Enviar el correo de nuevo',
  },
  home: { pages: 'Páginas de estado', noPages: 'Aún no hay páginas de estado públicas.' },
}
