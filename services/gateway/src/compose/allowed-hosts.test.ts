import { describe, expect, it } from "vitest";
import { DEFAULT_CONFIG } from "../config/config.ts";
import { allowedHosts } from "./allowed-hosts.ts";

const METADATA = ["169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16"];
const THIS_MACHINE = ["127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::", "::7f00:1"];
const NO_SINGLE_MACHINE = ["224.0.0.1", "255.255.255.255", "ff02::1", "fe80::1", "fe80::1%eth0"];

describe("hosts", () => {
  it("are allowed as they are written: names by name, addresses by list and range", () => {
    const { allowsHost } = allowedHosts(["api.example", "LOCALHOST", "10.1.0.0/16", "fd12::/16"]);
    for (const host of ["api.example", "API.Example", "localhost", "10.1.255.7", "fd12:3::4"]) {
      expect([host, allowsHost(host)]).toEqual([host, true]);
    }
    for (const host of ["127.0.0.1", "::1", "a.api.example", "api.example.", "10.2.0.0", "fd13::1"]) {
      expect([host, allowsHost(host)]).toEqual([host, false]);
    }
  });

  it("are none where none is listed", () => {
    const { allowsHost, allowsAddress } = allowedHosts([]);
    expect([allowsHost("localhost"), allowsAddress("127.0.0.1"), allowsAddress("93.184.216.34")]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe("addresses that an allowed name leads to", () => {
  it("may be public or private", () => {
    const { allowsAddress } = allowedHosts(["api.example"]);
    for (const ip of [
      "93.184.216.34",
      "10.1.2.3",
      "192.168.1.1",
      "172.16.0.1",
      "100.64.0.1",
      "2606:4700::1",
      "fd12::1",
    ]) {
      expect([ip, allowsAddress(ip)]).toEqual([ip, true]);
    }
  });

  it.each([...METADATA, ...THIS_MACHINE, ...NO_SINGLE_MACHINE, "no address"])("may not be %s", (ip) => {
    expect(allowedHosts(["api.example"]).allowsAddress(ip)).toBe(false);
  });

  it("may be what is listed itself", () => {
    const { allowsAddress } = allowedHosts(["api.example", "169.254.169.254", "127.0.0.0/8"]);
    expect(["169.254.169.254", "127.1.2.3", "169.254.169.253", "::1"].map(allowsAddress)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("may be this machine by default, and with localhost alone, but no metadata service", () => {
    for (const entries of [DEFAULT_CONFIG.registration.allowedHosts, ["localhost"]]) {
      const { allowsAddress } = allowedHosts(entries);
      expect(["127.0.0.1", "::1"].map(allowsAddress)).toEqual([true, true]);
      expect(METADATA.map(allowsAddress)).toEqual([false, false, false, false]);
    }
  });

  it("are those that are listed, where no name is", () => {
    const { allowsAddress } = allowedHosts(["10.1.0.0/16"]);
    expect(["10.1.0.9", "10.2.0.9", "93.184.216.34"].map(allowsAddress)).toEqual([true, false, false]);
  });
});
