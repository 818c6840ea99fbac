"""openmm_liquid.py - a liquid of 216 charged particles, half of them bound in pairs, for some steps of molecular dynamics."""
import openmm as mm
from openmm import unit

SIDE, SPACING, STEPS = 6, 0.4, 30
system = mm.System()
system.setDefaultPeriodicBoxVectors(*[tuple(SIDE * SPACING if i == j else 0 for j in range(3)) for i in range(3)])
pairs = mm.NonbondedForce()
pairs.setNonbondedMethod(mm.NonbondedForce.CutoffPeriodic)
pairs.setCutoffDistance(0.9)
bonds, positions = mm.HarmonicBondForce(), []
for n in range(SIDE ** 3):
    i, j, k = n // SIDE ** 2, n // SIDE % SIDE, n % SIDE
    system.addParticle(39.9)
    pairs.addParticle((-1) ** (i + j + k) * 0.1, 0.34, 0.997)
    positions.append(((i + .02 * (n % 5)) * SPACING, (j + .02 * (n % 3)) * SPACING, k * SPACING))
for n in range(0, SIDE ** 3, 4):
    bonds.addBond(n, n + 1, SPACING, 1000.0)
system.addForce(pairs)
system.addForce(bonds)

context = mm.Context(system, mm.VerletIntegrator(0.001), mm.Platform.getPlatformByName("OpenCL"))
context.setPositions(positions)
context.getIntegrator().step(STEPS)
state = context.getState(getPositions=True, getEnergy=True)
print(state.getPotentialEnergy(), state.getKineticEnergy())
for p in state.getPositions().value_in_unit(unit.nanometer):
    print(*(x.hex() for x in p))
