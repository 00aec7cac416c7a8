/** A gRPC service with one method, which converts temperatures. */
import {
  type GrpcObject,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServiceClientConstructor,
  status,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

interface ConvertRequest {
  readonly degrees: number;
  readonly from: string;
  readonly to: string;
}

const TO_KELVIN: Readonly<Record<string, (degrees: number) => number>> = {
  SCALE_CELSIUS: (degrees) => degrees + 273.15,
  SCALE_FAHRENHEIT: (degrees) => (degrees + 459.67) / 1.8,
  SCALE_KELVIN: (degrees) => degrees,
};
const FROM_KELVIN: Readonly<Record<string, (kelvin: number) => number>> = {
  SCALE_CELSIUS: (kelvin) => kelvin - 273.15,
  SCALE_FAHRENHEIT: (kelvin) => kelvin * 1.8 - 459.67,
  SCALE_KELVIN: (kelvin) => kelvin,
};

export interface UnitsService {
  /** "host:port" */
  readonly address: string;
  /** How often it was asked. */
  calls(): number;
  close(): void;
}

/** Starts the service on a free port. */
export function startUnitsService(): Promise<UnitsService> {
  const proto = `${import.meta.dirname}/proto/units.proto`;
  const loaded = loadPackageDefinition(loadSync(proto, { enums: String, defaults: true }));
  const { UnitsService } = (loaded.units as GrpcObject).v1 as unknown as { UnitsService: ServiceClientConstructor };
  const server = new Server();
  let calls = 0;
  server.addService(UnitsService.service, {
    ConvertTemperature({ request }: { request: ConvertRequest }, callback: Answer) {
      calls += 1;
      const toKelvin = TO_KELVIN[request.from];
      const fromKelvin = FROM_KELVIN[request.to];
      if (toKelvin === undefined || fromKelvin === undefined) {
        return callback({ code: status.INVALID_ARGUMENT, details: "from and to must name a scale" });
      }
      return callback(null, { degrees: Math.round(fromKelvin(toKelvin(request.degrees)) * 100) / 100 });
    },
  });
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
      if (error !== null) return reject(error);
      return resolve({ address: `127.0.0.1:${port}`, calls: () => calls, close: () => server.forceShutdown() });
    });
  });
}

type Answer = (error: object | null, response?: object) => void;
