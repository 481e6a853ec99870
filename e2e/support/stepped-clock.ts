// Loaded into a server (`--import`): SIGUSR2 sets its wall clock back by a second, as a correction of the time would.

const RealDate = Date;
let offsetMs = 0;

process.on('SIGUSR2', () => {
  offsetMs -= 1_000;
});

const now = (): number => RealDate.now() + offsetMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
  get: (target, name, self) => (name === 'now' ? now : Reflect.get(target, name, self)),
});
