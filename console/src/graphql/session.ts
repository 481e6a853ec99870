/** Sends the browser to the sign-in page and back to this view afterwards. */
export function goToSignIn(): void {
  const { pathname, search } = window.location;
  if (pathname === '/sign-in') return;
  window.location.assign(`/sign-in?next=${encodeURIComponent(pathname + search)}`);
}

/** Where to go after sign-in: the `next` of the address when it is a path of this console, else the agents. */
export function afterSignIn(next: string | null): string {
  // `//host` and `/\host` would leave this console.
  return next !== null && /^\/(?![/\\])/.test(next) ? next : '/agents';
}
