// Loaded into Node programs first (NODE_OPTIONS): the clock of a machine that is wrong, by DOCSIGN_TEST_AHEAD milliseconds.
const ahead = Number(process.env.DOCSIGN_TEST_AHEAD ?? 0);
const Right = Date;

if (ahead !== 0)
  globalThis.Date = class extends Right {
    constructor(...given) {
      if (given.length === 0) super(Right.now() + ahead);
      else super(...given);
    }

    static now() {
      return Right.now() + ahead;
    }
  };
